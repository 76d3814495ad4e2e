/** How far this device has looked at each session, and when: what came after it was seen by nobody here. */

/** As much of `localStorage` as is used. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface Look {
  readonly seq: number;
  /** When, by this device's clock; null where it is not known any more. */
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

  last(session: string): Look | undefined {
    const kept = lookOf(this.#read(session));
    const known = this.#known.get(session);
    if (kept === undefined || known === undefined) return kept ?? known;
    // Another tab may have looked further, or later.
    return { seq: Math.max(kept.seq, known.seq), at: later(kept.at, known.at) };
  }

  /** It only moves forward. Whoever looks again and finds nothing new has still looked. */
  mark(session: string, seq: number, at: number | null = null): void {
    const before = this.last(session);
    const look = { seq: Math.max(seq, before?.seq ?? 0), at: later(at, before?.at ?? null) };
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

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** Only a seq stands where no time was kept. */
function lookOf(text: string | null): Look | undefined {
  const [seq = Number.NaN, at = Number.NaN] = (text ?? "")
    .split(" ")
    .map((n) => Number.parseInt(n, 10));
  if (!Number.isSafeInteger(seq)) return undefined;
  return { seq, at: Number.isSafeInteger(at) ? at : null };
}
