import type { Clock } from "../base/clock.ts";

/** A clock that moves only when told to, and calls due timers in order. */
export interface ManualClock extends Clock {
  /** Advances both clocks; due timers fire. */
  advance(ms: number): void;
  /** Changes only the wall clock, as an administrator, a time server or a suspend does. */
  step(ms: number): void;
}

export function manualClock(start = Date.parse("2026-01-01T00:00:00.000Z")): ManualClock {
  let wall = start;
  let steady = start;
  let timers: { due: number; call: () => void }[] = [];
  return {
    now: () => wall,
    steady: () => steady,
    after(ms, call) {
      const timer = { due: steady + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = steady + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due)[0];
        const to = next?.due ?? until;
        wall += to - steady;
        steady = to;
        if (next === undefined) return;
        timers = timers.filter((timer) => timer !== next);
        next.call();
      }
    },
    step(ms) {
      wall += ms;
    },
  };
}
