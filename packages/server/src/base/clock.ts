/**
 * Time as an argument. `now` is the wall clock; `steady` is the wall time of the start plus the
 * elapsed monotonic time, so that a clock change neither fires nor delays a deadline.
 */

import { HostError } from "@holdfast/protocol/errors";

export interface Clock {
  now(): number;
  steady(): number;
  /** Calls `call` once, after `ms` of elapsed time; the returned function cancels it. */
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

let latest = { now: Number.NaN, text: "" };

/** A time as events carry it. Each millisecond is formatted once, however many events it has. */
export function isoTime(now: number): string {
  if (now !== latest.now) latest = { now, text: new Date(now).toISOString() };
  return latest.text;
}

/** Refuses an implausible clock: the order of ids and sessions depends on time. */
export function refuseClock(now: number): void {
  if (now >= EARLIEST && now < LATEST) return;
  const said = new Date(now).toISOString().slice(0, 10);
  throw new HostError(
    "bad_input",
    `This machine's clock is wrong: it says ${said}. Set the clock, then start again.`,
  );
}

/** Plausible dates: after the first version was written, and within its users' lifetime. */
const EARLIEST = Date.UTC(2020, 0);
const LATEST = Date.UTC(2200, 0);
