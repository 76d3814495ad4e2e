/** The updates that replay a session's transcript on load. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type ClaudeMessage, messageOf, wordsIn } from "./message.ts";
import { Speech } from "./speech.ts";

/** Text that Claude adds in the person's name when a turn is cancelled. */
const claudesOwn = /^\[Request interrupted by user[^\]]*\]$/;

/** The messages up to and including one message; null when it is missing. */
export function upTo(messages: readonly unknown[], uuid: string): readonly unknown[] | null {
  const last = messages.findIndex((said) => messageOf(said)?.uuid === uuid);
  return last < 0 ? null : messages.slice(0, last + 1);
}

export function replayOfMessages(messages: readonly unknown[]): SessionUpdate[] {
  const speech = new Speech();
  // An interrupted call is replayed without an end, because its result is unknown.
  return messages.flatMap((said) => [...personSaid(messageOf(said)), ...speech.hear(said)]);
}

function personSaid(message: ClaudeMessage | null): SessionUpdate[] {
  if (message?.type !== "user" || message.parent !== null) return [];
  return message.blocks.flatMap((block): SessionUpdate[] => {
    const text = wordsIn(block)?.text ?? "";
    if (text === "" || claudesOwn.test(text)) return [];
    return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
  });
}
