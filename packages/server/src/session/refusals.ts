/** What a refused write means: too late, no room yet, or a failure that a run must be told. */

import { HostError } from "@holdfast/protocol";
import type { Sessions } from "./sessions.ts";

export function isLate(error: unknown): boolean {
  if (!(error instanceof HostError)) return false;
  return ["late_event", "not_open", "run_not_found"].includes(error.code);
}

export function isFull(error: unknown): boolean {
  return error instanceof HostError && error.code === "journal_full";
}

/** Why a run failed, for its outcome. What has no code of ours is a bug, and says so. */
export function reasonOf(error: unknown): { code: string; message: string } {
  if (error instanceof HostError) return { code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: message.slice(0, 1000).toWellFormed() };
}

/** A full disk is waited out: the agent is held back, nothing is lost, and freeing space is enough. */
export async function patiently<T>(
  sessions: Sessions,
  stopped: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await sessions.journal.whenReady();
    try {
      return await act();
    } catch (error) {
      if (!isFull(error) || stopped.aborted) throw error;
      await new Promise<void>((resolve) => {
        sessions.clock.after(sessions.policy.fullRetry, resolve);
        stopped.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }
}
