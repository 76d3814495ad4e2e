import { openRun, type SessionState } from "@holdfast/protocol";

/** The run and attempt that this holder's agent works on, by the journal; null between turns. */
export function speaker(
  state: SessionState,
  holderId: string | null,
): { runId: string; attempt: number } | null {
  const run = openRun(state);
  if (run === null || !run.attempt.accepted || run.attempt.holderId !== holderId) return null;
  return { runId: run.id, attempt: run.attempt.n };
}
