/** The writer's work between commits: settling idle tails, deleting, checkpoints. */

import type { Store } from "./store.ts";

const tickMs = 1000;

/** Idle time after a group before settling starts; under load, the groups themselves settle tails. */
const quietMs = 20;

export class Background {
  readonly #store: Store;
  readonly #announce: (settled: Uint32Array<ArrayBuffer>) => void;
  readonly #fault: (error: unknown) => never;
  readonly #ticking;
  #lastGroupAt = 0;
  #isSettling = false;
  #isStopped = false;
  #erased: Promise<void> | null = null;

  constructor(
    store: Store,
    announce: (settled: Uint32Array<ArrayBuffer>) => void,
    fault: (error: unknown) => never,
  ) {
    this.#store = store;
    this.#announce = announce;
    this.#fault = fault;
    this.#ticking = setInterval(() => this.#tick(), tickMs);
  }

  groupDone(): void {
    this.#lastGroupAt = performance.now();
  }

  /** Deletes everything marked for deletion, a slice at a time; resolves when all of it is deleted. */
  erase(): Promise<void> {
    this.#erased ??= this.#eraseAll().finally(() => {
      this.#erased = null;
    });
    return this.#erased;
  }

  stop(): void {
    clearInterval(this.#ticking);
    this.#isStopped = true;
  }

  async #eraseAll(): Promise<void> {
    while (!this.#isStopped && this.#store.eraseSlice()) await new Promise(setImmediate);
  }

  #tick(): void {
    this.#store.tick();
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#settle();
  }

  #settle(): void {
    if (this.#isStopped) return;
    if (performance.now() - this.#lastGroupAt < quietMs) {
      setTimeout(() => this.#settle(), quietMs);
      return;
    }
    try {
      if (this.#store.hasDue) this.#announce(this.#store.settleSlice());
      else this.#store.whenIdle();
    } catch (error) {
      this.#fault(error);
    }
    if (this.#store.hasDue) setImmediate(() => this.#settle());
    else this.#isSettling = false;
  }
}
