/** How far this device has looked at each session, and when: what came after it was seen by nobody here. */

/** As much of `localStorage` as is used. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface Look {
  readonly seq: number;
  /** When, by this device's clock; null where it is not known, or lies ahead of that clock. */
  readonly at: number | null;
}

const PREFIX = "holdfast.seen.";

export class Seen {
  readonly #values: KeyValues | null;
  readonly #known = new Map<string, Look>();
  readonly #listeners = new Set<(session: string) => void>();

  /** Null where nothing is kept beyond this page. */
  constructor(values: KeyValues | null) {
    this.#values = values;
  }

  /** Undefined when this device never looked. */
  upTo(session: string): number | undefined {
    return this.last(session)?.seq;
  }

  /** No time after `now` counts: such ones are left behind by a clock that was ahead once. */
  last(session: string, now = Number.POSITIVE_INFINITY): Look | undefined {
    // Another tab may have looked further, or later.
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

  /** It only moves forward. Whoever looks again and finds nothing new has still looked. */
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
      // Full or forbidden: it is known until the page goes.
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

/** Only a seq stands where no time was kept. */
function lookOf(text: string | null): Look | undefined {
  const [seq = Number.NaN, at = Number.NaN] = (text ?? "")
    .split(" ")
    .map((n) => Number.parseInt(n, 10));
  if (!Number.isSafeInteger(seq)) return undefined;
  return { seq, at: Number.isSafeInteger(at) ? at : null };
}
