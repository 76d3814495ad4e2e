/**
 * Looks at something of the host whenever it may be another: at once, and then with a rest between
 * two looks. A look that is under way is not given up for the next, and the last wish is always met.
 */

import { ApiError, type Timers, TransportError } from "@holdfast/client";

/** Agents end several calls a second; nobody reads as fast. */
export const REST_MS = 1_500;
/** A host that has enough to do is left alone for longer. */
export const BUSY_MS = 5_000;

export interface Look<T> {
  readonly ask: (signal: AbortSignal) => Promise<T>;
  readonly onFound: (found: T) => void;
  readonly onProblem: (problem: string) => void;
}

export class Looking<T> {
  readonly #look: Look<T>;
  readonly #timers: Timers;
  readonly #life = new AbortController();
  /** Or it rests from that. */
  #isLooking = false;
  #isWanted = false;
  #cancelRest = () => {};

  constructor(look: Look<T>, timers: Timers) {
    this.#look = look;
    this.#timers = timers;
  }

  again(): void {
    this.#isWanted = true;
    if (!this.#isLooking) void this.#go();
  }

  close(): void {
    this.#life.abort();
    this.#cancelRest();
  }

  async #go(): Promise<void> {
    this.#isLooking = true;
    this.#isWanted = false;
    const rest = await this.#once();
    if (this.#life.signal.aborted) return;
    this.#cancelRest = this.#timers.after(rest, () => {
      this.#isLooking = false;
      if (this.#isWanted) void this.#go();
    });
  }

  /** How long to rest after it. */
  async #once(): Promise<number> {
    const { ask, onFound, onProblem } = this.#look;
    const { signal } = this.#life;
    try {
      const found = await ask(signal);
      if (!signal.aborted) onFound(found);
    } catch (error) {
      // Out of reach: what was seen stays.
      if (signal.aborted || error instanceof TransportError) return REST_MS;
      if (error instanceof ApiError && error.status === 429) {
        this.#isWanted = true;
        return BUSY_MS;
      }
      onProblem(error instanceof Error ? error.message : String(error));
    }
    return REST_MS;
  }
}
