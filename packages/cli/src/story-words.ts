/** The words for what happens in a session, whether it is told live or read back. */

import type { EventOf, Grade, Receipt, ToolPart } from "@holdfast/protocol";
import { type Span, toned, type Words } from "./words.ts";

/** A person's message, set off from what the agent says. `when` stands behind its first line. */
export function messageLines(content: string, when: Span | string = ""): Words[] {
  return content
    .split("\n")
    .map((line, i) => [toned("strong", i === 0 ? "› " : "  "), line, i === 0 ? when : ""]);
}

export const toolMarks: Readonly<Record<ToolPart["status"], Span | string>> = {
  running: "▸",
  completed: toned("alive", "✓"),
  failed: toned("bad", "✗"),
  denied: toned("bad", "✗ denied"),
  cancelled: toned("bad", "✗ cancelled"),
  unknown: toned("needs", "? may or may not have run"),
  not_started: toned("quiet", "✗ not started"),
};

export const interruptions: Readonly<Record<EventOf<"run.interrupted">["reason"], string>> = {
  process_restart: "the host was restarted",
  process_exit: "its agent ended",
  wait_timeout: "nobody answered in time",
  sandbox_lost: "its sandbox was lost",
};

/** How much of its memory an agent came back with, behind the rung. */
export const grades: Readonly<Record<Grade, string>> = {
  verified: ", its memory checked",
  partial: ", part of its memory lost and told again",
  ahead: ", knowing more than was heard of it",
  unverified: ", its memory not checked",
  injected: "",
};

export const rungs: Readonly<Record<EventOf<"session.resumed">["rung"], string>> = {
  live: "it was up",
  adopted: "adopted",
  native: "resumed by the agent itself",
  restored: "restored from a checkpoint",
  injected: "a new agent session that was told the history",
  fresh: "started fresh, without its history",
};

/** What a recovery kept, lost, and may have run twice, a line each. */
export function receiptLines({ kept, lost, maybeTwice }: Lines): Words[] {
  const lines = (word: string, facts: readonly string[]): Words[] =>
    facts.map((fact) => [toned("recovered", "⌁ "), `${word}: ${fact}`]);
  return [
    ...lines("kept", kept),
    ...lines("lost", lost),
    ...lines("may have run twice", maybeTwice),
  ];
}

type Lines = Pick<Receipt, "kept" | "lost" | "maybeTwice">;
