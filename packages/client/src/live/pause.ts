/** Waits for a host with growing pauses, which end early when the host may be back. */

import { ApiError, TransportError } from "../errors.ts";
import { type Clock, pauseAfter, sleep } from "../timers.ts";
import type { Feed } from "./feed.ts";

interface PauseDeps {
  readonly feed: Feed;
  readonly clock: Clock;
}

/**
 * A pause that grows with the failures before it, and ends early on a wake. While the host is
 * unreachable it lasts until the feed has found it, so that only the feed keeps trying.
 */
export async function pauseUntilWake(
  { feed, clock }: PauseDeps,
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const woken = new AbortController();
  const leave = feed.onWake(() => woken.abort());
  const over = AbortSignal.any([signal, woken.signal]);
  if (feed.isReachable) await sleep(clock, pauseAfter(failures, clock.random), over);
  else await aborted(over);
  leave();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Repeats `ask` until it gets an answer or a refusal. Null when the signal was aborted. */
export async function untilAnswered<T>(
  deps: PauseDeps,
  signal: AbortSignal,
  ask: () => Promise<T>,
  mayAskAgain: (refusal: ApiError) => boolean = (refusal) => refusal.mayRetry,
): Promise<T | ApiError | null> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof ApiError && !mayAskAgain(error)) return error;
      if (!(error instanceof ApiError || error instanceof TransportError)) throw error;
      await pauseUntilWake(deps, failures, signal);
    }
  }
  return null;
}
