/** Reading a message of the SDK, live or from a transcript: what it has, or nothing. Pure. */

import { isObject, type JsonObject, objectAt, textOf } from "../acp-shape.ts";

export interface ClaudeMessage {
  readonly type: "user" | "assistant";
  readonly uuid: string | null;
  /** Several messages make up one answer of the model; they share this. */
  readonly answer: string | null;
  /** Not the model's words but Claude's own, about an error that is also how the turn ends. */
  readonly isError: boolean;
  /** The call it was made for, when it is of an agent below this one. */
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

/** What is said or thought in a block; null for one of another type. */
export function wordsIn(block: JsonObject): { type: Words; text: string } | null {
  const { type } = block;
  if (type !== "text" && type !== "thinking") return null;
  const text = block[type];
  return typeof text === "string" ? { type, text } : null;
}

export type Words = "text" | "thinking";
