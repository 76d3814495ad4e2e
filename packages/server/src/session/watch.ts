/** Tracks when each session was last watched. Time without a running host does not count. */

import { HostError, openRun, type SessionId } from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import type { Sessions } from "./sessions.ts";

/** The most sessions to remember; others count from the last dropped entry's time. */
const REMEMBERED = 10_000;

export class Watch {
  readonly #sessions: Sessions;
  readonly #clock: Clock;
  readonly #seen = new Map<SessionId, number>();
  readonly #onError: (session: SessionId, error: unknown) => void;
  #since: number;

  constructor(
    sessions: Sessions,
    clock: Clock,
    onError: (session: SessionId, error: unknown) => void,
  ) {
    this.#sessions = sessions;
    this.#clock = clock;
    this.#onError = onError;
    this.#since = clock.steady();
  }

  /** Records an authenticated request or a new stream. A run that was frozen unwatched goes on. */
  seen(session: SessionId): void {
    this.#seen.delete(session);
    this.#seen.set(session, this.#clock.steady());
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > REMEMBERED && oldest !== undefined) {
      this.#since = this.#seen.get(oldest) ?? this.#since;
      this.#seen.delete(oldest);
    }
    this.#goOn(session).catch((error: unknown) => this.#onError(session, error));
  }

  /** Milliseconds of steady time since the session was last watched. */
  unseen(session: SessionId): number {
    if (this.#sessions.followers(session) > 0) {
      // The time counts from now on if the followers leave.
      this.#seen.set(session, this.#clock.steady());
      return 0;
    }
    return this.#clock.steady() - (this.#seen.get(session) ?? this.#since);
  }

  async #goOn(session: SessionId): Promise<void> {
    try {
      const run = openRun(await this.#sessions.state(session));
      if (run?.paused !== "abandoned") return;
      await this.#sessions.execute(session, "unpauseRun", { runId: run.id, by: "watch" });
    } catch (error) {
      // Another caller was first, or the session is gone.
      if (!(error instanceof HostError)) throw error;
    }
  }
}
