/** Remembers up to which seq this device has shown each session, and when. */

/** The used part of `localStorage`. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface Look {
  readonly seq: number;
  /** Time by this device's clock; null when unknown, or later than that clock. */
  readonly at: number | null;
}

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
    };
  }

  /** Moves the mark forward only. The time is updated even when there is no new event. */
  mark(session: string, seq: number, now: number | null = null): void {
    const before = this.last(session, now ?? undefined);
    const look = { seq: Math.max(seq, before?.seq ?? 0), at: now ?? before?.at ?? null };
    if (look.seq === before?.seq && look.at === before.at) return;
    this.#known.set(session, look);
    try {
      this.#values?.setItem(
        PREFIX + session,
        look.at === null ? `${look.seq}` : `${look.seq} ${look.at}`,
      );
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

/** Parses a mark; older ones have only a seq. */
function lookOf(text: string | null): Look | undefined {
  const [seq = Number.NaN, at = Number.NaN] = (text ?? "")
    .split(" ")
    .map((n) => Number.parseInt(n, 10));
  if (!Number.isSafeInteger(seq)) return undefined;
  return { seq, at: Number.isSafeInteger(at) ? at : null };
}
