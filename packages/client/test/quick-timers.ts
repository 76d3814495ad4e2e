import type { Timers } from "../src/timers.ts";

export interface QuickTimers extends Timers {
  /** All pauses in the order of their requests. */
  readonly pauses: readonly number[];
  /** Runs all waiting timers, as if their time had passed. */
  runOut(): void;
}

/** Timers that record pauses and end them at once; longer timeouts wait for the test. */
export function quickTimers(random: () => number = () => 1): QuickTimers {
  const pauses: number[] = [];
  const waiting = new Set<() => void>();
  return {
    random,
    pauses,
    after(ms, call) {
      if (ms <= 10_000) {
        pauses.push(ms);
        const timer = setImmediate(call);
        return () => clearImmediate(timer);
      }
      waiting.add(call);
      return () => waiting.delete(call);
    },
    runOut() {
      for (const call of [...waiting]) call();
    },
  };
}
