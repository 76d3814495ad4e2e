import type { Timers } from "../src/timers.ts";

export interface QuickTimers extends Timers {
  /** Every pause that was asked for, in order. */
  readonly pauses: readonly number[];
  /** Lets all that is still waiting run out, as if that long had passed. */
  runOut(): void;
}

/** Pauses pass at once and are written down; what is longer than any pause waits for the test. */
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
