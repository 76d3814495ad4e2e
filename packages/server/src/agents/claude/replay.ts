/** What is told of a session's transcript when it is loaded. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type ClaudeMessage, messageOf, wordsIn } from "./message.ts";
import { Speech } from "./speech.ts";

/** What Claude puts into the person's mouth when a turn was cancelled. */
const claudesOwn = /^\[Request interrupted by user[^\]]*\]$/;

/** Up to and with one message; null when there is no such message. */
export function upTo(messages: readonly unknown[], uuid: string): readonly unknown[] | null {
  const last = messages.findIndex((said) => messageOf(said)?.uuid === uuid);
  return last < 0 ? null : messages.slice(0, last + 1);
}

export function replayOf(messages: readonly unknown[]): SessionUpdate[] {
  const speech = new Speech();
  // A call without an end is told without one: how it ended is not known, and is not made up here.
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
