import type { Clock } from "../clock.ts";

/** A clock that moves only when told to, and calls what falls due in order. */
export interface ManualClock extends Clock {
  /** Lets real time pass: timers fire, both clocks move. */
  advance(ms: number): void;
  /** Steps the wall clock alone, as an administrator, a time server or a sleep does. */
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
