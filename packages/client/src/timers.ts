/** Time and chance, as one small thing that a test can hold in its hand. */
export interface Timers {
  /** Calls back once; the returned function takes it back. */
  after(ms: number, call: () => void): () => void;
  /** In [0, 1). */
  random(): number;
}

export const systemTimers: Timers = {
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Ends early, without an error, when the signal is aborted. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      cancel();
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = timers.after(ms, wake);
    signal?.addEventListener("abort", wake, { once: true });
  });
}

/** A host that restarts is back within a second or two. */
const FIRST_PAUSE = 250;
/** A phone in a tunnel should notice within seconds that it is out again. */
const LONGEST_PAUSE = 10_000;

/** Half of it is chance, so that many who lost the same host do not all come back at once. */
export function pauseAfter(failures: number, random: () => number): number {
  const full = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
  return full / 2 + (full / 2) * random();
}

/** Timers that also know what time it is here: to notice that it jumped, never to derive a word. */
export interface Clock extends Timers {
  now(): number;
}

export const systemClock: Clock = { ...systemTimers, now: Date.now };
