/** A value with change notifications, in the shape that `useSyncExternalStore` needs. */
export interface Watchable<T> {
  readonly getSnapshot: () => T;
  readonly subscribe: (listener: () => void) => () => void;
}

export class Cell<T> implements Watchable<T> {
  #value: T;
  /** One entry per subscription, because the same function may be subscribed twice. */
  readonly #listeners = new Set<{ readonly call: () => void }>();
  readonly #onWatched: (isWatched: boolean) => void;

  /** Calls `onWatched` when the first watcher subscribes and when the last one leaves. */
  constructor(value: T, onWatched: (isWatched: boolean) => void = () => undefined) {
    this.#value = value;
    this.#onWatched = onWatched;
  }

  readonly getSnapshot = (): T => this.#value;

  readonly subscribe = (call: () => void): (() => void) => {
    const listener = { call };
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#onWatched(true);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#onWatched(false);
    };
  };

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const { call } of [...this.#listeners]) call();
  }
}

/** Resolves as soon as `is` returns true for the value; at once if it already does. */
export function when<T>(cell: Watchable<T>, is: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const look = () => {
      const value = cell.getSnapshot();
      if (!is(value)) return false;
      resolve(value);
      return true;
    };
    if (look()) return;
    const leave = cell.subscribe(() => {
      if (look()) leave();
    });
  });
}
