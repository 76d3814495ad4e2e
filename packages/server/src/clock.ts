/**
 * Time as an argument. `now` is what people read; `steady` is the wall time of the start plus the
 * time that really passed, so that a stepped clock neither fires nor delays a deadline.
 */

export interface Clock {
  now(): number;
  steady(): number;
  /** Calls back once, `ms` of real time from now; the returned function takes it back. */
  after(ms: number, call: () => void): () => void;
}

export function systemClock(): Clock {
  const wall = Date.now();
  const start = performance.now();
  return {
    now: () => Date.now(),
    steady: () => wall + performance.now() - start,
    after(ms, call) {
      const timer = setTimeout(call, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
