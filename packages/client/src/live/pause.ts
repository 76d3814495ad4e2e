/** Waiting for a host: as long as it takes, and not longer than there is reason to. */

import { ApiError, TransportError } from "../errors.ts";
import { type Clock, pauseAfter, sleep } from "../timers.ts";
import type { Feed } from "./feed.ts";

export interface Patience {
  readonly feed: Feed;
  readonly clock: Clock;
}

/**
 * A pause that grows with the failures before it, and ends early when there is reason to hope. While
 * the feed looks for the host it lasts until the feed has found it: one who looks is enough.
 */
export async function pauseUntilWake(
  { feed, clock }: Patience,
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

/** Asks until someone answers, be it with a refusal. Null when nobody wants to know any more. */
export async function untilAnswered<T>(
  patience: Patience,
  signal: AbortSignal,
  ask: () => Promise<T>,
  mayAskAgain: (refusal: ApiError) => boolean = (refusal) => refusal.isPassing,
): Promise<T | ApiError | null> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof ApiError && !mayAskAgain(error)) return error;
      if (!(error instanceof ApiError || error instanceof TransportError)) throw error;
      await pauseUntilWake(patience, failures, signal);
    }
  }
  return null;
}
