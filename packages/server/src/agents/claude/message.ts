/** Parses a message of the SDK, live or from a transcript; null when it has another shape. Pure. */

import { isObject, type JsonObject, objectAt, textOf } from "../acp/acp-shape.ts";

export interface ClaudeMessage {
  readonly type: "user" | "assistant";
  readonly uuid: string | null;
  /** The id of the model's answer; several messages share one answer. */
  readonly answer: string | null;
  /** True for Claude's own text about an error; the same error also ends the turn. */
  readonly isError: boolean;
  /** For a message of a subagent: the call that started the subagent. */
  readonly parent: string | null;
  readonly blocks: readonly JsonObject[];
}

export function messageOf(said: unknown): ClaudeMessage | null {
  if (!isObject(said) || (said.type !== "user" && said.type !== "assistant")) return null;
  const message = objectAt(said, "message") ?? {};
  return {
    type: said.type,
    uuid: textOf(said.uuid),
    answer: textOf(message.id),
    isError: textOf(said.error) !== null && message.stop_reason !== "refusal",
    parent: textOf(said.parent_tool_use_id),
    blocks: blocksOf(message.content),
  };
}

function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** The text or thinking in a block; null for a block of another type. */
export function wordsIn(block: JsonObject): { type: Words; text: string } | null {
  const { type } = block;
  if (type !== "text" && type !== "thinking") return null;
  const text = block[type];
  return typeof text === "string" ? { type, text } : null;
}

export type Words = "text" | "thinking";
