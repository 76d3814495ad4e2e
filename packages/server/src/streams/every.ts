import type { Clock } from "../base/clock.ts";

/** Calls `call` every `ms` milliseconds until the returned function is called. */
export function every(clock: Clock, ms: number, call: () => void): () => void {
  let cancel: () => void;
  const schedule = () => {
    cancel = clock.after(ms, () => {
      schedule();
      call();
    });
  };
  schedule();
  return () => cancel();
}
