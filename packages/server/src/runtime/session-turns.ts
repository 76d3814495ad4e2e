/** Runs one action at a time per session, in the order of the calls. */

import type { SessionId } from "@holdfast/protocol";

export class SessionTurns {
  readonly #last = new Map<SessionId, Promise<void>>();

  run<T>(session: SessionId, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(session) ?? Promise.resolve();
    const turn = before.then(act, act);
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(session, over);
    over.then(() => {
      if (this.#last.get(session) === over) this.#last.delete(session);
    });
    return turn;
  }
}
