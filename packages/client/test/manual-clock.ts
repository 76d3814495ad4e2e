import type { Clock } from "../src/timers.ts";

interface Timer {
  at: number;
  readonly call: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-11-15T00:00:00.000Z");
  readonly #timers = new Set<Timer>();
  /** All pauses in the order of their requests. */
  readonly pauses: number[] = [];

  readonly random = (): number => 1;

  readonly now = (): number => this.#now;

  readonly after = (ms: number, call: () => void): (() => void) => {
    const timer = { at: this.#now + ms, call };
    this.pauses.push(ms);
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Advances the clock and calls due timers, each at its own time. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#due(until); next !== undefined; next = this.#due(until)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    this.#now = until;
  }

  /** Advances the clock without running timers, as for a stopped process. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Advances the clock and postpones all timers, as for a machine that slept. */
  sleep(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) timer.at += ms;
  }

  #due(until: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
