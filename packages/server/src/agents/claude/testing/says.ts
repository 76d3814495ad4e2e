/** Messages as the SDK was seen to send them, shortened. */

import type { Step } from "./sdk/sdk.ts";

export const text = (words: string) => ({ type: "text", text: words });
export const thinking = (words: string) => ({ type: "thinking", thinking: words, signature: "s" });
export const toolUse = (id: string, name: string, input: object) => ({
  type: "tool_use",
  id,
  name,
  input,
});
export const toolResult = (id: string, content: unknown, isError = false) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  is_error: isError,
});

/** A message with one block; an answer's blocks come in separate messages. */
export function assistant(
  block: object,
  { uuid = "a-1", id = "msg_1", parent = null as string | null } = {},
) {
  const message = { id, role: "assistant", content: [block] };
  return { type: "assistant", uuid, message, parent_tool_use_id: parent };
}

export function user(content: unknown, uuid = "u-1") {
  return { type: "user", uuid, message: { role: "user", content }, parent_tool_use_id: null };
}

export function piece(index: number, delta: object) {
  return event({ type: "content_block_delta", index, delta });
}

export const event = (event: object) => ({ type: "stream_event", event, parent_tool_use_id: null });

export const begin = (id = "msg_1") => event({ type: "message_start", message: { id } });

export const done = {
  type: "result",
  subtype: "success",
  is_error: false,
  stop_reason: "end_turn",
  usage: {
    input_tokens: 3,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 5,
    output_tokens: 6,
  },
};

export const say = (...messages: unknown[]): Step[] =>
  messages.map((message) => ({ say: message }));
