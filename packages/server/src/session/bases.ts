/**
 * Bases: state and transcript at one seq. A long session opens from its base and the events after
 * it, and old detail can be deleted without losing a message, an outcome or a receipt.
 */

import { packFolded, type SessionId } from "@holdfast/protocol";
import type { Policy } from "../base/policy.ts";
import type { Journal } from "../journal/journal.ts";
import type { Sessions } from "./sessions.ts";

interface Stored {
  readonly sessions: Sessions;
  readonly journal: Journal;
}

async function writeBase({ sessions, journal }: Stored, session: SessionId): Promise<number> {
  const { state, chain, transcript } = await sessions.open(session);
  await journal.putBase(session, {
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
export async function foldDetail(stored: Stored, session: SessionId): Promise<void> {
  const upTo = await writeBase(stored, session);
  await stored.journal.trim(session, upTo);
  await stored.sessions.execute(session, "foldJournal", { upTo });
}

interface BasesOptions extends Stored {
  readonly policy: Policy;
  readonly onError: (session: SessionId, error: unknown) => void;
}

/** Writes a base each time a session has grown by `baseEvery` events since its last one. */
export class BaseKeeper {
  readonly #options: BasesOptions;
  #work: Promise<void> = Promise.resolve();

  constructor(options: BasesOptions) {
    this.#options = options;
    const every = options.policy.baseEvery;
    options.sessions.onDurable((session, { state, events }) => {
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
        this.#options.onError(session, error);
      }
    });
  }

  /**
   * Rewrites a long transcript less often, so that all bases together cost about as much as the
   * journal.
   */
  async #write(session: SessionId): Promise<void> {
    const { sessions, journal, policy } = this.#options;
    const base = await journal.base(session);
    const { seq } = await sessions.state(session);
    const grown = seq - (base?.seq ?? 0);
    const bytes = base?.transcript.length ?? 0;
    if (grown < Math.max(policy.baseEvery / 2, bytes / 256)) return;
    await writeBase(this.#options, session);
  }
}
