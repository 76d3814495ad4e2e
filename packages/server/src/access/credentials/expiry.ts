/** Reports expired credentials, because a stream shows its credential only at its start. */

import type { Clock } from "../../base/clock.ts";
import { hasExpired, type Lifetime } from "./lifetime.ts";

/** Timers hold 2³¹ ms at most, and a machine may sleep; an hourly check is cheap. */
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

  /** Ignores credentials that have already expired: they were reported, or never admitted a stream. */
  watch(records: readonly Lasting[]): void {
    this.#stop();
    const lasting = records.filter(({ lifetime }) => !hasExpired(this.#clock, lifetime));
    const deadlines = lasting.flatMap(({ lifetime }) => lifetime?.deadline ?? []);
    if (deadlines.length === 0) return;
    const left = Math.min(...deadlines) - this.#clock.steady();
    this.#stop = this.#clock.after(Math.min(left, LONGEST_WAIT), () => {
      const over = lasting.filter(({ lifetime }) => hasExpired(this.#clock, lifetime));
      this.watch(lasting);
      for (const { id } of over) this.#tell(id);
    });
  }

  stop(): void {
    this.#stop();
  }
}
