/**
 * Ends cancelled runs whose holder does not confirm, because it is stopped or hangs. Their processes
 * are killed by their recorded identity; the outcome waits for proof that all are gone.
 */

import { openRun, type SessionId } from "@holdfast/protocol";
import { isLate } from "../session/refusals.ts";
import type { ReviveDeps } from "./revive.ts";

type CancelWatchOptions = Pick<
  ReviveDeps,
  "sessions" | "clock" | "policy" | "holders" | "closing" | "onError"
>;

export class CancelWatch {
  readonly #options: CancelWatchOptions;
  /** Cancelled runs whose holder has not confirmed yet. */
  readonly #watched = new Set<string>();

  constructor(options: CancelWatchOptions) {
    this.#options = options;
  }

  watch(session: SessionId, runId: string, holderId: string): void {
    if (this.#watched.has(runId)) return;
    this.#watched.add(runId);
    const { clock, policy, holders, onError } = this.#options;
    clock.after(policy.cancelGrace + policy.killLimit, () => {
      this.#watched.delete(runId);
      const connection = holders.get(session);
      // The agent may have confirmed already, in frames that a full disk holds up.
      if (connection?.holderId === holderId && connection.waitsForDisk) {
        this.watch(session, runId, holderId);
        return;
      }
      this.#end(session, runId, holderId).catch((error: unknown) => {
        if (!isLate(error)) onError(session, error);
      });
    });
  }

  async #end(session: SessionId, runId: string, holderId: string): Promise<void> {
    const { sessions, holders, closing } = this.#options;
    if (closing.aborted) return;
    const state = await sessions.state(session);
    if (openRun(state)?.id !== runId || state.runtime.holderId !== holderId) return;
    // Retried on a full disk, because no later event would retry this.
    await sessions.patiently(closing, async () => {
      await holders.killAndSettle({ session, holderId });
      await sessions.execute(session, "settleCancel", { runId });
    });
  }
}
