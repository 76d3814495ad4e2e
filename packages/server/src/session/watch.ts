/** Who looks at a session, and since when nobody does. Time without a host does not count. */

import { HostError, openRun, type SessionId } from "@holdfast/protocol";
import type { Sessions } from "./sessions.ts";

/** Sessions looked at, remembered; whoever is forgotten counts from then on. */
const REMEMBERED = 10_000;

export class Watch {
  readonly #sessions: Sessions;
  readonly #seen = new Map<SessionId, number>();
  readonly #onError: (session: SessionId, error: unknown) => void;
  #since: number;

  constructor(sessions: Sessions, onError: (session: SessionId, error: unknown) => void) {
    this.#sessions = sessions;
    this.#onError = onError;
    this.#since = sessions.clock.steady();
  }

  /** An authenticated request, or a stream that began: a run that was frozen unseen goes on. */
  seen(session: SessionId): void {
    this.#seen.delete(session);
    this.#seen.set(session, this.#sessions.clock.steady());
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > REMEMBERED && oldest !== undefined) {
      this.#since = this.#seen.get(oldest) ?? this.#since;
      this.#seen.delete(oldest);
    }
    this.#goOn(session).catch((error: unknown) => this.#onError(session, error));
  }

  /** For how long (steady) nobody has looked. */
  unseen(session: SessionId): number {
    if (this.#sessions.followers(session) > 0) {
      // They may leave the next moment: from then on it counts.
      this.#seen.set(session, this.#sessions.clock.steady());
      return 0;
    }
    return this.#sessions.clock.steady() - (this.#seen.get(session) ?? this.#since);
  }

  async #goOn(session: SessionId): Promise<void> {
    try {
      const run = openRun(await this.#sessions.state(session));
      if (run?.paused !== "abandoned") return;
      await this.#sessions.execute(session, "unpauseRun", { runId: run.id, by: "watch" });
    } catch (error) {
      // Someone else was first, or the session is gone: there is nothing to go on with.
      if (!(error instanceof HostError)) throw error;
    }
  }
}
