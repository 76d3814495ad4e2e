/** Helpers that make both sides of a comparison. */

import type { RunRecord } from "@holdfast/protocol";
import type { Replayed, ReplayedCall } from "../../../agents/acp/replay.ts";
import type { Anchor, Journalled } from "../journalled.ts";

export const user = (text: string, from = 1): Anchor => ({ type: "user", text, from });
export const tool = (toolCallId: string, from = 2): Anchor => ({
  type: "tool",
  toolCallId,
  name: "Bash",
  from,
});

export const said = (text: string): Replayed => ({ type: "user", text });
export const answered = (text: string): Replayed => ({ type: "agent", text });
export const called = (toolCallId: string): ReplayedCall => ({
  type: "tool",
  toolCallId,
  name: "Bash",
  input: {},
  status: "completed",
  output: "",
});

export const run = (outcome: RunRecord["outcome"]): RunRecord => ({
  id: "run_1",
  messageId: "msg_1",
  continues: null,
  outcome,
  errorMessage: null,
  inputTokens: 0,
  outputTokens: 0,
  startedAt: "",
  completedAt: null,
  attempt: 1,
  taken: [{ by: "a", toldFrom: null }],
  seq: 2,
});

/** A journal with these anchors, whose last run completed. */
export function journal(anchors: readonly Anchor[], more: Partial<Journalled> = {}): Journalled {
  const calls = anchors.flatMap((known) => (known.type === "tool" ? [known.toolCallId] : []));
  const words = anchors.flatMap((known) => (known.type === "user" ? [known.text] : []));
  return {
    anchors,
    calls: new Set(calls),
    words: new Set(words),
    last: run("completed"),
    lastWords: "",
    ...more,
  };
}
