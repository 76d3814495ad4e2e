/**
 * A follower is a cursor over the journal: replay and live are one path, so there is no gap and no
 * duplicate. It owns no queue: what it has not read yet is in the journal's memory or on disk, and
 * however slow it is, nothing waits for it and nothing grows.
 */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Base, Journal, Slice } from "../journal/journal.ts";

export type Followed =
  | { readonly type: "events"; readonly slice: Slice }
  /** What lies below was folded: start over from this base and go on after `base.seq`. */
  | { readonly type: "reset"; readonly base: Base };

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Events per step; the journal bounds bytes by itself. */
  readonly limit?: number;
}

/** Events per step while others wait to catch up, too: a step must not hold the loop. */
const CROWDED_STEP = 100;

export class Followers {
  readonly #journal: Journal;
  readonly #turns = new Turns();
  readonly #wakes = new Map<SessionId, Set<() => void>>();
  #closed = false;

  constructor(journal: Journal) {
    this.#journal = journal;
    journal.onAppend((session) => this.wake(session));
  }

  count(session: SessionId): number {
    return this.#wakes.get(session)?.size ?? 0;
  }

  close(): void {
    this.#closed = true;
    for (const session of this.#wakes.keys()) this.wake(session);
  }

  /** A hint, never data: whoever wakes reads the journal. */
  wake(session: SessionId): void {
    for (const call of this.#wakes.get(session) ?? []) call();
  }

  async *follow(
    session: SessionId,
    after: number,
    { signal, limit = 1000 }: FollowOptions = {},
  ): AsyncGenerator<Followed, void, void> {
    if (!Number.isSafeInteger(after) || after < 0) {
      throw new HostError("bad_input", `A cursor is a seq, 0 or higher, not ${String(after)}.`);
    }
    let cursor = after;
    let behind = true;
    const alarm = new Alarm();
    const leave = this.#join(session, alarm);
    const abort = () => alarm.ring();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      while (signal?.aborted !== true && !this.#closed) {
        alarm.set();
        const next: Followed | null = behind
          ? await this.#turns.take((crowded) =>
              this.#next(session, cursor, crowded ? Math.min(limit, CROWDED_STEP) : limit),
            )
          : await this.#next(session, cursor, limit);
        behind = next !== null && isLong(next);
        if (next === null) {
          await alarm.rung;
          continue;
        }
        cursor = endOf(next);
        yield next;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      leave();
    }
  }

  async #next(session: SessionId, cursor: number, limit: number): Promise<Followed | null> {
    try {
      const slice = await this.#journal.read(session, cursor, limit);
      return slice === null ? null : { type: "events", slice };
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "below_retention") throw error;
      const base = await this.#journal.base(session);
      if (base === null || base.seq <= cursor) throw error;
      return { type: "reset", base };
    }
  }

  #join(session: SessionId, alarm: Alarm): () => void {
    const wakes = this.#wakes.get(session) ?? new Set();
    this.#wakes.set(session, wakes);
    const call = () => alarm.ring();
    wakes.add(call);
    return () => {
      wakes.delete(call);
      if (wakes.size === 0) this.#wakes.delete(session);
    };
  }
}

function endOf(followed: Followed): number {
  if (followed.type === "reset") return followed.base.seq;
  return followed.slice.firstSeq + followed.slice.count - 1;
}

/** More than anyone at the head gets in one step: there is probably more behind it. */
function isLong(followed: Followed): boolean {
  return followed.type === "reset" || followed.slice.count >= CROWDED_STEP;
}

/**
 * Those who catch up take turns, one step each, with a turn of the event loop in between. However
 * many they are, commits and followers at the head wait for one step at most.
 */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  async take<T>(step: (crowded: boolean) => Promise<T>): Promise<T> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    try {
      return await step(this.#waiting.length > 0);
    } finally {
      setImmediate(() => this.#pass());
    }
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}

/** Set before reading, rung by an append: a wake between the read and the wait is not missed. */
class Alarm {
  rung: Promise<void> = Promise.resolve();
  ring: () => void = () => undefined;

  set(): void {
    this.rung = new Promise((resolve) => {
      this.ring = resolve;
    });
  }
}
