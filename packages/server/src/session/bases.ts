/**
 * Bases: state and transcript at one seq. A long session opens from its base and the events after
 * it, and old detail can be deleted without losing a message, an outcome or a receipt.
 */

import { packFolded, type SessionId } from "@holdfast/protocol";
import type { Policy } from "../base/policy.ts";
import type { Base, Journal } from "../journal/journal.ts";
import type { Sessions } from "./sessions.ts";

interface Stored {
  readonly sessions: Sessions;
  readonly journal: Journal;
}

async function writeBase({ sessions, journal }: Stored, session: SessionId): Promise<Base> {
  const { state, chain, transcript } = await sessions.open(session);
  const base = {
    seq: state.seq,
    chain,
    state: packFolded(state),
    transcript: packFolded(transcript),
  };
  await journal.putBase(session, base);
  return base;
}

/** Retention: write the base, trim below it, record the trim; the next sweep repeats a cut one. */
export async function foldDetail(stored: Stored, session: SessionId): Promise<void> {
  const { seq: upTo } = await writeBase(stored, session);
  await stored.journal.trim(session, upTo);
  await stored.sessions.execute(session, "foldJournal", { upTo });
}

interface BasesOptions extends Stored {
  readonly policy: Policy;
  readonly onError: (session: SessionId, error: unknown) => void;
}

/**
 * Writes a base each time a session has grown by `baseEvery` events since its last one. A long
 * transcript is rewritten less often, so that all bases together cost about as much as the journal.
 */
export class BaseKeeper {
  readonly #options: BasesOptions;
  /** The least seq of a session's next base; infinite while one is being written. */
  readonly #next = new Map<SessionId, number>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: BasesOptions) {
    this.#options = options;
    const every = options.policy.baseEvery;
    options.sessions.onDurable((session, { state, events }) => {
      const hasGrown =
        Math.floor(state.seq / every) > Math.floor((state.seq - events.length) / every);
      if (hasGrown && state.seq >= (this.#next.get(session) ?? 0)) this.#enqueue(session);
      if (state.ended !== null) this.#next.delete(session);
    });
  }

  settled(): Promise<void> {
    return this.#work;
  }

  #enqueue(session: SessionId): void {
    this.#next.set(session, Number.POSITIVE_INFINITY);
    this.#work = this.#work.then(async () => {
      try {
        const { seq, transcript } = await writeBase(this.#options, session);
        const least = Math.max(this.#options.policy.baseEvery / 2, transcript.length / 128);
        this.#next.set(session, seq + least);
      } catch (error) {
        this.#next.delete(session);
        this.#options.onError(session, error);
      }
    });
  }
}
