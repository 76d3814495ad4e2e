/** Words for the events of a session that only the page uses. */

import {
  type ApprovalDecision,
  callStatus,
  type PauseReason,
  type Rung,
  type ToolPart,
} from "@holdfast/protocol";
import type { Tone } from "./state.ts";

export interface TonedWord {
  readonly word: string;
  readonly tone: Tone;
}

/** The result of a tool call; a successful call has no word. */
export const toolMarks: Readonly<Record<ToolPart["status"], TonedWord>> = {
  running: { word: "running", tone: "alive" },
  completed: { word: "", tone: "quiet" },
  failed: { word: "failed", tone: "lost" },
  // A denied call is not a failure.
  denied: { word: "Denied", tone: "quiet" },
  cancelled: { word: "cancelled", tone: "quiet" },
  unknown: { word: "may or may not have run", tone: "needs" },
  not_started: { word: "not started", tone: "quiet" },
};

export function toolMark(tool: Pick<ToolPart, "status" | "approval">): TonedWord {
  const isAsking = tool.status === "running" && tool.approval?.decision === null;
  return isAsking ? { word: "asks you", tone: "needs" } : toolMarks[callStatus(tool)];
}

/** The effect of a resume, by the rung it would use. */
export const nextRungs: Readonly<Record<Rung, string>> = {
  live: "It is still up.",
  adopted: "Its process is still running and is connected again.",
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

export const decided: Readonly<Record<ApprovalDecision, TonedWord>> = {
  allow: { word: "Allowed once", tone: "alive" },
  allow_always: { word: "Always allowed", tone: "alive" },
  deny: { word: "Denied", tone: "strong" },
};

/** Labels of an answer that is being sent. */
export const answers: Readonly<Record<ApprovalDecision, string>> = {
  allow: "Allow once",
  allow_always: "Always, this session",
  deny: "Deny",
};

export function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
