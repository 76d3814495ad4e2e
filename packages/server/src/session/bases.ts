/**
 * Bases: state and transcript at one seq. A long session opens from its base and the events after
 * it, and old detail can be deleted without losing a message, an outcome or a receipt.
 */

import { packFolded, type SessionId } from "@holdfast/protocol";
import type { Sessions } from "./sessions.ts";

async function writeBase(sessions: Sessions, session: SessionId): Promise<number> {
  const { state, chain, transcript } = await sessions.open(session);
  await sessions.journal.putBase(session, {
    seq: state.seq,
    chain,
    state: packFolded(state),
    transcript: packFolded(transcript),
  });
  return state.seq;
}

/**
 * Retention, in this order: write the base, trim the events below it, record the trim. After a
 * crash in between, the next sweep does it again.
 */
export async function foldDetail(sessions: Sessions, session: SessionId): Promise<void> {
  const upTo = await writeBase(sessions, session);
  await sessions.journal.trim(session, upTo);
  await sessions.execute(session, "foldJournal", { upTo });
}

/** Writes a base each time a session has grown by `baseEvery` events since its last one. */
export class BaseKeeper {
  readonly #sessions: Sessions;
  readonly #onError: (session: SessionId, error: unknown) => void;
  #work: Promise<void> = Promise.resolve();

  constructor(sessions: Sessions, onError: (session: SessionId, error: unknown) => void) {
    this.#sessions = sessions;
    this.#onError = onError;
    sessions.onDurable((session, { state, events }) => {
      const every = sessions.policy.baseEvery;
      if (Math.floor(state.seq / every) > Math.floor((state.seq - events.length) / every)) {
        this.#enqueue(session);
      }
    });
  }

  /** Resolves when all bases asked for so far are written. */
  settled(): Promise<void> {
    return this.#work;
  }

  #enqueue(session: SessionId): void {
    this.#work = this.#work.then(async () => {
      try {
        await this.#write(session);
      } catch (error) {
        this.#onError(session, error);
      }
    });
  }

  /**
   * Rewrites a long transcript less often, so that all bases together cost about as much as the
   * journal.
   */
  async #write(session: SessionId): Promise<void> {
    const base = await this.#sessions.journal.base(session);
    const { seq } = await this.#sessions.state(session);
    const grown = seq - (base?.seq ?? 0);
    const bytes = base?.transcript.length ?? 0;
    if (grown < Math.max(this.#sessions.policy.baseEvery / 2, bytes / 256)) return;
    await writeBase(this.#sessions, session);
  }
}
