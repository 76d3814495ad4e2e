/** Timers and randomness as one interface, so that tests can control them. */
export interface Timers {
  after(ms: number, call: () => void): () => void;
  /** A number in [0, 1). */
  random(): number;
}

export const systemTimers: Timers = {
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Resolves early when the signal is aborted. */
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

/** A restarted host is back within a second or two. */
const FIRST_PAUSE = 250;
/** A phone that leaves a tunnel should reconnect within seconds. */
const LONGEST_PAUSE = 10_000;

/** Half of the pause is random, so that many clients of one host do not reconnect at the same time. */
export function pauseAfter(failures: number, random: () => number): number {
  const full = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
  return full / 2 + (full / 2) * random();
}

/** Timers with the local time. Texts such as "2 minutes ago" use the host's clock instead. */
export interface Clock extends Timers {
  now(): number;
}

export const systemClock: Clock = { ...systemTimers, now: Date.now };
