/**
 * What an agent's own session held and the journal had not heard: parts of an answer like any other,
 * but marked, because nobody saw them happen.
 */

import type { Json } from "./json.ts";

/** Characters of one part; longer words are several. */
export const RECOVERED_TEXT = 16_384;
/** Parts of one recovery. */
export const RECOVERED_PARTS = 1000;

export type RecoveredPart =
  | { readonly type: "text"; readonly text: string }
  /** Said to the agent by someone who did not say it here. */
  | { readonly type: "user"; readonly text: string }
  | {
      readonly type: "tool";
      readonly toolCallId: string;
      readonly name: string;
      readonly input: Json;
      /** As the agent tells it; a call that it tells no end of is unknown. */
      readonly status: "completed" | "failed" | "unknown";
      readonly output: string;
    };

/** Null when it is nothing known; nothing but what is known comes through. */
export function recoveredPart(found: Json): RecoveredPart | null {
  if (typeof found !== "object" || found === null || Array.isArray(found)) return null;
  const { type, text, toolCallId, name, input, status, output } = found as Found;
  if (type === "text" || type === "user") {
    return isText(text, 1, RECOVERED_TEXT) ? { type, text } : null;
  }
  const isCall = type === "tool" && isText(toolCallId, 1, 500) && isText(name, 1, 200);
  if (!isCall || input === undefined || !isText(output, 0, RECOVERED_TEXT)) return null;
  if (status !== "completed" && status !== "failed" && status !== "unknown") return null;
  return { type, toolCallId, name, input, status, output };
}

type Found = { readonly [K in "type" | Exclude<keyof Tool, "type"> | "text"]?: Json };
type Tool = Extract<RecoveredPart, { type: "tool" }>;

const isText = (value: Json | undefined, least: number, most: number): value is string =>
  typeof value === "string" && value.length >= least && value.length <= most;
