/** Remembers up to which seq this device has shown each session, and when. */

import type { SessionView } from "@holdfast/protocol";

type SessionActivity = Pick<SessionView, "lastSeq" | "lastActiveAt">;

/** The used part of `localStorage`. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface Look {
  readonly seq: number;
  /** Time by this device's clock; null when unknown, or later than that clock. */
  readonly at: number | null;
  /** The session's `lastActiveAt` at the visit; null in marks of earlier versions. */
  readonly activeAt: string | null;
}

/** The time of a visit by this device's clock, and the session's `lastActiveAt` then. */
type Visit = Partial<Omit<Look, "seq">>;

const PREFIX = "holdfast.seen.";

export class Seen {
  readonly #values: KeyValues | null;
  readonly #known = new Map<string, Look>();
  readonly #listeners = new Set<(session: string) => void>();

  /** Null to keep it in this page only. */
  constructor(values: KeyValues | null) {
    this.#values = values;
  }

  /** Undefined when this device has never shown the session. */
  upTo(session: string): number | undefined {
    return this.last(session)?.seq;
  }

  /** Ignores times after `now`, which a clock that was ahead left behind. */
  last(session: string, now = Number.POSITIVE_INFINITY): Look | undefined {
    // Another tab may have read further, or later.
    const looks = [lookOf(this.#read(session)), this.#known.get(session)].filter(
      (look) => look !== undefined,
    );
    if (looks.length === 0) return undefined;
    const times = looks.flatMap(({ at }) => (at === null || at > now ? [] : [at]));
    return {
      seq: Math.max(...looks.map(({ seq }) => seq)),
      at: times.length === 0 ? null : Math.max(...times),
      activeAt: latest(looks.map(({ activeAt }) => activeAt)),
    };
  }

  /**
   * True when a message, output, question, end or failed start is newer than the last visit, or the
   * session was never visited. Events such as an idle pause or an adoption do not change `lastActiveAt`.
   */
  isNew(session: string, { lastSeq, lastActiveAt }: SessionActivity): boolean {
    const look = this.last(session);
    return look === undefined || (lastSeq > look.seq && lastActiveAt > (look.activeAt ?? ""));
  }

  /** Moves the mark forward only. The time is updated even when there is no new event. */
  mark(session: string, seq: number, { at: now = null, activeAt = null }: Visit = {}): void {
    const before = this.last(session, now ?? undefined);
    const look: Look = {
      seq: Math.max(seq, before?.seq ?? 0),
      at: now ?? before?.at ?? null,
      activeAt: latest([activeAt, before?.activeAt ?? null]),
    };
    if (look.seq === before?.seq && look.at === before.at && look.activeAt === before.activeAt) {
      return;
    }
    this.#known.set(session, look);
    try {
      this.#values?.setItem(PREFIX + session, textOf(look));
    } catch {
      // The storage is full or forbidden: the mark lasts as long as the page.
    }
    if (look.seq === before?.seq) return;
    for (const call of [...this.#listeners]) call(session);
  }

  onMark(call: (session: string) => void): () => void {
    this.#listeners.add(call);
    return () => this.#listeners.delete(call);
  }

  #read(session: string): string | null {
    try {
      return this.#values?.getItem(PREFIX + session) ?? null;
    } catch {
      return null;
    }
  }
}

/** `seq at activeAt`, without the unknown ones at the end. */
function textOf({ seq, at, activeAt }: Look): string {
  if (activeAt !== null) return `${seq} ${at ?? "-"} ${activeAt}`;
  return at === null ? `${seq}` : `${seq} ${at}`;
}

/** Parses a mark; older ones have only a seq, or no `activeAt`. */
function lookOf(text: string | null): Look | undefined {
  const [seqText = "", atText = "", activeAt = null] = (text ?? "").split(" ");
  const [seq, at] = [Number.parseInt(seqText, 10), Number.parseInt(atText, 10)];
  if (!Number.isSafeInteger(seq)) return undefined;
  return { seq, at: Number.isSafeInteger(at) ? at : null, activeAt };
}

/** The latest of some times; ISO times in UTC sort as text. */
function latest(times: readonly (string | null)[]): string | null {
  return times.reduce((a, b) => (b === null || (a !== null && a > b) ? a : b), null);
}
