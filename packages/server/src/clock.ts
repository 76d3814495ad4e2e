/**
 * Time as an argument. `now` is what people read; `steady` is the wall time of the start plus the
 * time that really passed, so that a stepped clock neither fires nor delays a deadline.
 */

import { HostError } from "@holdfast/protocol/errors";

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

/** Ids and their order are made of time: a host with such a clock would lose sight of its sessions. */
export function refuseClock(now: number): void {
  if (now >= EARLIEST && now < LATEST) return;
  const said = new Date(now).toISOString().slice(0, 10);
  throw new HostError("bad_input", `This machine's clock says ${said}. Set it, and start again.`);
}

/** Before the first version, and past the lives of its users. */
const EARLIEST = Date.UTC(2020, 0);
const LATEST = Date.UTC(2200, 0);
