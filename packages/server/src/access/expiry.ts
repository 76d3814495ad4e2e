/**
 * Tells when a credential runs out. A stream shows its credential once, when it begins, and would
 * otherwise go on for ever.
 */

import type { Clock } from "../clock.ts";
import { isOver, type Lifetime } from "./lifetime.ts";

/** Timers hold 2³¹ ms at most, and a machine may sleep: looking each hour costs nothing. */
const LONGEST_WAIT = 3_600_000;

interface Lasting {
  readonly id: string;
  readonly lifetime: Lifetime | null;
}

export class Expiry {
  readonly #clock: Clock;
  readonly #tell: (id: string) => void;
  #stop: () => void = () => undefined;

  constructor(clock: Clock, tell: (id: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Those that are over already were told of, or were over before anyone could come in by them. */
  watch(records: readonly Lasting[]): void {
    this.#stop();
    const lasting = records.filter(({ lifetime }) => !isOver(this.#clock, lifetime));
    const deadlines = lasting.flatMap(({ lifetime }) => lifetime?.deadline ?? []);
    if (deadlines.length === 0) return;
    const left = Math.min(...deadlines) - this.#clock.steady();
    this.#stop = this.#clock.after(Math.min(left, LONGEST_WAIT), () => {
      const over = lasting.filter(({ lifetime }) => isOver(this.#clock, lifetime));
      this.watch(lasting);
      for (const { id } of over) this.#tell(id);
    });
  }

  stop(): void {
    this.#stop();
  }
}
