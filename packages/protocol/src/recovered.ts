/** Parts found only in an agent's own session; marked, because the host did not receive them. */

import type { Json } from "./json.ts";

/** The most characters of one part; longer text is split. */
export const RECOVERED_TEXT = 16_384;
/** The most parts of one recovery. */
export const RECOVERED_PARTS = 1000;

export type RecoveredPart =
  | { readonly type: "text"; readonly text: string }
  /** A message to the agent that was not sent through this host. */
  | { readonly type: "user"; readonly text: string }
  | {
      readonly type: "tool";
      readonly toolCallId: string;
      readonly name: string;
      readonly input: Json;
      /** The status that the agent reports; unknown for a call without a reported end. */
      readonly status: "completed" | "failed" | "unknown";
      readonly output: string;
    };

/** Validates a recovered part and keeps only its known fields; null for an unknown part. */
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
