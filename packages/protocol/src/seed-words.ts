/**
 * One table from the seeds' words to ours: for readers who come from one of them, and for the tests
 * that hold us to what each of them promised. Nothing decides by these words.
 */

import type { SessionState } from "./session.ts";
import { deriveStatus, type Moment, type RunStatus } from "./status.ts";

export interface SeedWords {
  /** Seed 001: the session's status is our lifecycle. */
  readonly ash: { readonly status: "creating" | "active" | "paused" | "ended" };
  /** Seed 003: of the conversation, and of its current generation. */
  readonly bap: {
    readonly generationStatus:
      | "idle"
      | "generating"
      | "awaiting_approval"
      | "paused"
      | "complete"
      | "error";
    readonly generation: BapGeneration | null;
  };
  /** Seed 004: of the session and of its task. */
  readonly kandev: {
    readonly session: KandevSession;
    readonly task: "IN_PROGRESS" | "REVIEW" | "COMPLETED";
    /** Whether a resume may be asked for in this state. */
    readonly active: boolean;
  };
}

type BapGeneration =
  | "running"
  | "awaiting_approval"
  | "paused"
  | "completed"
  | "cancelled"
  | "error";
type KandevSession = "STARTING" | "RUNNING" | "WAITING_FOR_INPUT" | "COMPLETED";

interface RunWords {
  readonly conversation: SeedWords["bap"]["generationStatus"];
  readonly generation: BapGeneration | null;
  readonly session: KandevSession;
  readonly task: SeedWords["kandev"]["task"];
}

const reviewing = { session: "WAITING_FOR_INPUT", task: "REVIEW" } as const;

/** A failed, cancelled or interrupted run leaves its session promptable: only `ended` is final. */
const words: Readonly<Record<RunStatus | "none", RunWords>> = {
  none: { conversation: "idle", generation: null, ...reviewing },
  running: {
    conversation: "generating",
    generation: "running",
    session: "RUNNING",
    task: "IN_PROGRESS",
  },
  awaiting_approval: {
    conversation: "awaiting_approval",
    generation: "awaiting_approval",
    ...reviewing,
  },
  paused: { conversation: "paused", generation: "paused", ...reviewing },
  completed: { conversation: "complete", generation: "completed", ...reviewing },
  cancelled: { conversation: "idle", generation: "cancelled", ...reviewing },
  error: { conversation: "error", generation: "error", ...reviewing },
  // Seed 003 has no such word; its error is what keeps partial content and offers to go on.
  interrupted: { conversation: "error", generation: "error", ...reviewing },
};

export function seedWords(state: SessionState, moment: Moment): SeedWords {
  const { lifecycle, runStatus, runtime } = deriveStatus(state, moment);
  const { conversation, generation, session, task } = words[runStatus ?? "none"];
  const ended = lifecycle === "ended";
  return {
    ash: { status: lifecycle },
    bap: { generationStatus: conversation, generation },
    kandev: {
      session: ended ? "COMPLETED" : runtime === "starting" ? "STARTING" : session,
      task: ended ? "COMPLETED" : task,
      active: !ended,
    },
  };
}
