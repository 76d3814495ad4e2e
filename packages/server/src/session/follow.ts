/**
 * A follower is a cursor over the journal: replay and live events take one path, so there is no gap
 * and no duplicate. A follower has no queue of its own: unread events are in the journal's memory
 * or on disk, so a slow follower delays no one and uses no memory. Followers of a session at the
 * same cursor share one read and get the same object.
 */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import type { Base, Journal, Slice } from "../journal/journal.ts";

export type Followed =
  | { readonly type: "events"; readonly slice: Slice }
  /** The events below were folded: start over from this base and go on after `base.seq`. */
  | { readonly type: "reset"; readonly base: Base };

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The most events per step; the journal limits the bytes. */
  readonly limit?: number;
  /**
   * Called before each read; the returned function is called when the follower has processed the
   * events. Followers that share a connection take turns through it.
   */
  readonly turn?: () => Promise<() => void>;
}

/** Events per step beside other followers, so that a step does not block the event loop. */
const CROWDED_STEP = 100;

const nothing = () => undefined;
const atOnce = () => Promise.resolve(nothing);

export class Followers {
  readonly #reads: SharedReads;
  readonly #clock: Clock;
  readonly #turns = new Turns();
  readonly #crowds = new Map<SessionId, Crowd>();
  #closed = false;

  constructor(journal: Journal, clock: Clock) {
    this.#reads = new SharedReads(journal);
    this.#clock = clock;
    journal.onAppend((session) => this.wake(session));
  }

  count(session: SessionId): number {
    return this.#crowds.get(session)?.size ?? 0;
  }

  close(): void {
    this.#closed = true;
    for (const [session, crowd] of this.#crowds) {
      this.#reads.forget(session);
      crowd.wake();
    }
  }

  /** A hint without data: each woken follower reads the journal. */
  wake(session: SessionId): void {
    this.#reads.forget(session);
    this.#crowds.get(session)?.wakeInTime();
  }

  async *follow(
    session: SessionId,
    after: number,
    { signal, limit = 1000, turn = atOnce }: FollowOptions = {},
  ): AsyncGenerator<Followed, void, void> {
    if (!Number.isSafeInteger(after) || after < 0) {
      throw new HostError("bad_input", `A cursor is a seq, 0 or higher, not ${String(after)}.`);
    }
    let cursor = after;
    const read = (most: number) => this.#reads.read(session, cursor, most);
    const isOver = () => signal?.aborted === true || this.#closed;
    let behind = true;
    let done: () => void = nothing;
    const alarm = new Alarm();
    const leave = this.#join(session, alarm);
    const abort = () => alarm.ring();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      while (!isOver()) {
        alarm.set();
        done = await turn();
        if (isOver()) return;
        const next: Followed | null = behind
          ? await this.#turns.take((crowded) =>
              read(crowded ? Math.min(limit, CROWDED_STEP) : limit),
            )
          : await read(limit);
        if (isOver()) return;
        behind = next !== null && isLong(next);
        if (next !== null) {
          cursor = endOf(next);
          yield next;
        }
        done();
        if (next === null) await alarm.rung;
      }
    } finally {
      done();
      signal?.removeEventListener("abort", abort);
      leave();
    }
  }

  #join(session: SessionId, alarm: Alarm): () => void {
    const crowd = this.#crowds.get(session) ?? new Crowd(this.#clock);
    this.#crowds.set(session, crowd);
    crowd.add(alarm);
    return () => {
      crowd.delete(alarm);
      if (crowd.size > 0) return;
      this.#crowds.delete(session);
      this.#reads.forget(session);
    };
  }
}

function endOf(followed: Followed): number {
  if (followed.type === "reset") return followed.base.seq;
  return followed.slice.firstSeq + followed.slice.count - 1;
}

/** True for a step so long that more events probably follow. */
function isLong(followed: Followed): boolean {
  return followed.type === "reset" || followed.slice.count >= CROWDED_STEP;
}

/**
 * Caches the last read of each session for other followers at the same cursor. Followers at the
 * head share one read per step, and so do followers that catch up in turns. The next append clears
 * the cache, because a read without events is valid only until then.
 */
class SharedReads {
  readonly #journal: Journal;
  readonly #last = new Map<SessionId, SharedRead>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  read(session: SessionId, after: number, limit: number): Promise<Followed | null> {
    const last = this.#last.get(session);
    if (last?.after === after && last.limit === limit) return last.followed;
    const followed = this.#read(session, after, limit);
    this.#last.set(session, { after, limit, followed });
    // Followers that share a failed read fail with it; later ones read again.
    followed.catch(() => this.forget(session));
    return followed;
  }

  forget(session: SessionId): void {
    this.#last.delete(session);
  }

  async #read(session: SessionId, after: number, limit: number): Promise<Followed | null> {
    try {
      const slice = await this.#journal.read(session, after, limit);
      return slice === null ? null : { type: "events", slice };
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "below_retention") throw error;
      const base = await this.#journal.base(session);
      if (base === null || base.seq <= after) throw error;
      return { type: "reset", base };
    }
  }
}

interface SharedRead {
  readonly after: number;
  readonly limit: number;
  readonly followed: Promise<Followed | null>;
}

/**
 * Followers that catch up take turns: one step each, with a turn of the event loop in between.
 * However many they are, commits and followers at the head wait for one step at most.
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

/** Milliseconds per notified follower: twice the real cost, so that half the time is free. */
const TELLING = 0.02;
/** Waits up to this many milliseconds need no timer. */
const AT_ONCE = 2;

/**
 * The followers of one session. Few are notified of every append at once. Notifying hundreds takes
 * longer than the time between appends, so they are notified of several appends together.
 */
class Crowd {
  readonly #clock: Clock;
  readonly #alarms = new Set<Alarm>();
  /** Steady time before which followers are not notified again, to leave time for other work. */
  #notBefore = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#alarms.size;
  }

  add(alarm: Alarm): void {
    this.#alarms.add(alarm);
  }

  delete(alarm: Alarm): void {
    this.#alarms.delete(alarm);
    if (this.#alarms.size === 0) this.#cancel?.();
  }

  wakeInTime(): void {
    if (this.#cancel !== null) return;
    const wait = this.#notBefore - this.#clock.steady();
    if (wait <= AT_ONCE) this.wake();
    else this.#cancel = this.#clock.after(wait, () => this.wake());
  }

  wake(): void {
    this.#cancel?.();
    this.#cancel = null;
    let told = 0;
    for (const alarm of this.#alarms) if (alarm.ring()) told++;
    this.#notBefore = this.#clock.steady() + TELLING * told;
  }
}

/** Set before a read and rung by an append, so that none is missed before the wait. */
class Alarm {
  rung: Promise<void> = Promise.resolve();
  #resolve: (() => void) | null = null;

  set(): void {
    this.rung = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** False when the alarm rang already, because its follower is busy with events. */
  ring(): boolean {
    if (this.#resolve === null) return false;
    this.#resolve();
    this.#resolve = null;
    return true;
  }
}
