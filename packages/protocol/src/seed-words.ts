/** Our status words in those of documents 003 and 004; no decision uses them. */

import type { SessionState } from "./session.ts";
import { deriveStatus, type Moment, type RunStatus } from "./status.ts";

export const generationStatuses = [
  "idle",
  "generating",
  "awaiting_approval",
  "paused",
  "complete",
  "error",
] as const;
export const generations = [
  "running",
  "awaiting_approval",
  "paused",
  "completed",
  "cancelled",
  "error",
] as const;
export const taskSessionStates = [
  "STARTING",
  "RUNNING",
  "WAITING_FOR_INPUT",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
] as const;
export const taskStates = ["IN_PROGRESS", "REVIEW", "COMPLETED", "FAILED", "CANCELLED"] as const;

type TaskSessionState = (typeof taskSessionStates)[number];

export interface SeedWords {
  /** Document 003: the conversation, and its current or last generation. */
  readonly generationStatus: (typeof generationStatuses)[number];
  readonly generation: (typeof generations)[number] | null;
  /** Document 004: the session and its task. */
  readonly session: TaskSessionState;
  readonly task: (typeof taskStates)[number];
  /** True when a resume may be asked for in this state. */
  readonly isActive: boolean;
}

type RunWords = Omit<SeedWords, "isActive">;

const reviewing = { session: "WAITING_FOR_INPUT", task: "REVIEW" } as const;

/** A failed, cancelled or interrupted run leaves a session that takes prompts. */
const words: Readonly<Record<RunStatus | "none", RunWords>> = {
  none: { generationStatus: "idle", generation: null, ...reviewing },
  running: {
    generationStatus: "generating",
    generation: "running",
    session: "RUNNING",
    task: "IN_PROGRESS",
  },
  awaiting_approval: {
    generationStatus: "awaiting_approval",
    generation: "awaiting_approval",
    ...reviewing,
  },
  paused: { generationStatus: "paused", generation: "paused", ...reviewing },
  completed: { generationStatus: "complete", generation: "completed", ...reviewing },
  cancelled: { generationStatus: "idle", generation: "cancelled", ...reviewing },
  error: { generationStatus: "error", generation: "error", ...reviewing },
  // Document 003 has no such word; its "error" also keeps partial content and offers to continue.
  interrupted: { generationStatus: "error", generation: "error", ...reviewing },
};

export function seedWords(state: SessionState, moment: Moment): SeedWords {
  const { lifecycle, runStatus, runtime } = deriveStatus(state, moment);
  const said = words[runStatus ?? "none"];
  if (lifecycle === "ended") {
    const last = endedAs(runStatus);
    return { ...said, session: last, task: last, isActive: false };
  }
  const isStarting = runtime === "starting" && said.session !== "RUNNING";
  return { ...said, ...(isStarting ? { session: "STARTING" } : {}), isActive: true };
}

/** The final word of an ended session, from its last run. */
function endedAs(runStatus: RunStatus | null): "COMPLETED" | "FAILED" | "CANCELLED" {
  if (runStatus === "cancelled") return "CANCELLED";
  return runStatus === "error" || runStatus === "interrupted" ? "FAILED" : "COMPLETED";
}
