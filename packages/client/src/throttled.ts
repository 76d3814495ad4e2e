/** Throttles a value for the screen: at most one change per interval, and always the last. */

import { Cell, type Watchable } from "./cell.ts";
import type { Timers } from "./timers.ts";

/** As often as a reader can see text grow. */
const SCREEN_MS = 100;

export class Throttled<T> implements Watchable<T> {
  readonly getSnapshot: () => T;
  readonly subscribe: (listener: () => void) => () => void;
  readonly #source: Watchable<T>;
  readonly #timers: Timers;
  readonly #shown: Cell<T>;
  #leave = () => {};
  /** Null between intervals: then a change is shown at once. */
  #cancelRest: (() => void) | null = null;

  constructor(source: Watchable<T>, timers: Timers) {
    this.#source = source;
    this.#timers = timers;
    this.#shown = new Cell(source.getSnapshot(), (isWatched) => this.#watched(isWatched));
    this.subscribe = this.#shown.subscribe;
    // Without watchers the source's value needs no throttling.
    this.getSnapshot = () => (this.#shown.isWatched ? this.#shown : source).getSnapshot();
  }

  #watched(isWatched: boolean): void {
    this.#leave();
    this.#cancelRest?.();
    this.#cancelRest = null;
    this.#leave = () => {};
    if (!isWatched) return;
    this.#leave = this.#source.subscribe(() => this.#changed());
    this.#shown.set(this.#source.getSnapshot());
  }

  #changed(): void {
    if (this.#cancelRest !== null) return;
    this.#cancelRest = this.#timers.after(SCREEN_MS, () => {
      this.#cancelRest = null;
      if (this.#shown.getSnapshot() !== this.#source.getSnapshot()) this.#changed();
    });
    this.#shown.set(this.#source.getSnapshot());
  }
}
