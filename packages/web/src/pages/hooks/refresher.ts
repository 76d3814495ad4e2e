/**
 * Refreshes a value from the host: at once, and then with a pause between two requests. A request
 * in progress is finished before the next, and the last call of `again` is always followed by a
 * request.
 */

import { ApiError, type Timers, TransportError } from "@holdfast/client";

/** The pause in ms between two requests: agents end several calls a second. */
export const REST_MS = 1_500;
/** The pause in ms after the host answered 429. */
export const BUSY_MS = 5_000;

interface RefreshOptions<T> {
  readonly ask: (signal: AbortSignal) => Promise<T>;
  readonly onFound: (found: T) => void;
  readonly onProblem: (problem: string) => void;
}

export class Refresher<T> {
  readonly #options: RefreshOptions<T>;
  readonly #timers: Timers;
  readonly #life = new AbortController();
  /** True during a request and the pause after it. */
  #isBusy = false;
  #isWanted = false;
  #cancelRest = () => {};

  constructor(options: RefreshOptions<T>, timers: Timers) {
    this.#options = options;
    this.#timers = timers;
  }

  again(): void {
    this.#isWanted = true;
    if (!this.#isBusy) void this.#go();
  }

  close(): void {
    this.#life.abort();
    this.#cancelRest();
  }

  async #go(): Promise<void> {
    this.#isBusy = true;
    this.#isWanted = false;
    const rest = await this.#once();
    if (this.#life.signal.aborted) return;
    this.#cancelRest = this.#timers.after(rest, () => {
      this.#isBusy = false;
      if (this.#isWanted) void this.#go();
    });
  }

  /** Makes one request; resolves with the pause in ms after it. */
  async #once(): Promise<number> {
    const { ask, onFound, onProblem } = this.#options;
    const { signal } = this.#life;
    try {
      const found = await ask(signal);
      if (!signal.aborted) onFound(found);
    } catch (error) {
      // The host is unreachable: the last result stays.
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
