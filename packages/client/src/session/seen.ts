/** How far this device has looked at each session: what came after it happened while its person was away. */

/** As much of `localStorage` as is used. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const PREFIX = "holdfast.seen.";

export class Seen {
  readonly #values: KeyValues | null;
  readonly #known = new Map<string, number>();
  readonly #listeners = new Set<(session: string) => void>();

  /** Null where nothing is kept beyond this page. */
  constructor(values: KeyValues | null) {
    this.#values = values;
  }

  /** Undefined when this device never looked. */
  upTo(session: string): number | undefined {
    const kept = Number.parseInt(this.#read(session) ?? "", 10);
    const known = this.#known.get(session);
    // Another tab may have looked further.
    if (!Number.isSafeInteger(kept)) return known;
    return Math.max(kept, known ?? 0);
  }

  /** It only moves forward. */
  mark(session: string, seq: number): void {
    if (seq <= (this.upTo(session) ?? -1)) return;
    this.#known.set(session, seq);
    try {
      this.#values?.setItem(PREFIX + session, String(seq));
    } catch {
      // Full or forbidden: it is known until the page goes.
    }
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
