/** The words for what happens in a session, as far as only a page says them. */

import type { ApprovalDecision, PauseReason, Rung, ToolPart } from "@holdfast/protocol";
import type { Tone } from "./state.ts";

export interface Mark {
  readonly word: string;
  readonly tone: Tone;
}

/** What came of a tool call; a call that went well needs no word. */
export const toolMarks: Readonly<Record<ToolPart["status"], Mark>> = {
  running: { word: "running", tone: "alive" },
  completed: { word: "", tone: "quiet" },
  failed: { word: "failed", tone: "lost" },
  // Somebody said no, and it was obeyed: nothing failed.
  denied: { word: "Denied", tone: "quiet" },
  cancelled: { word: "cancelled", tone: "quiet" },
  unknown: { word: "may or may not have run", tone: "needs" },
  not_started: { word: "not started", tone: "quiet" },
};

/** Agents say "failed" of a call that they were not allowed to make. */
export function toolMark({ status, approval }: Pick<ToolPart, "status" | "approval">): Mark {
  if (approval === undefined) return toolMarks[status];
  if (status === "running" && approval.decision === null)
    return { word: "asks you", tone: "needs" };
  const isOver = status === "failed" || status === "cancelled" || status === "denied";
  return toolMarks[approval.decision === "deny" && isOver ? "denied" : status];
}

/** What a rung would do, said before it is tried. */
export const nextRungs: Readonly<Record<Rung, string>> = {
  live: "It is still up.",
  adopted: "Its process is still there and is taken over.",
  native: "The agent resumes its own session.",
  restored: "It is restored from its last checkpoint.",
  injected: "A new agent session is told the history.",
  fresh: "It starts fresh, without its history.",
};

export const pauses: Readonly<Record<PauseReason, string>> = {
  idle: "nothing was asked of it for a while",
  explicit: "somebody paused it",
  abandoned: "nobody looked at it for a while",
  waiting: "resumes when you answer",
  restart: "the host was restarted",
};

export const decided: Readonly<Record<ApprovalDecision, Mark>> = {
  allow: { word: "Allowed once", tone: "alive" },
  allow_always: { word: "Always allowed", tone: "alive" },
  deny: { word: "Denied", tone: "strong" },
};

/** An answer that is on its way. */
export const answers: Readonly<Record<ApprovalDecision, string>> = {
  allow: "Allow once",
  allow_always: "Always, this session",
  deny: "Deny",
};

export function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
