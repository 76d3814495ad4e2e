/** Runs work in one tab at a time, when the browser has Web Locks (secure contexts only). */

import type { Timers } from "./timers.ts";

/** The used part of `navigator.locks`. */
export interface Locks {
  request<T>(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T>;
}

/** A frozen tab keeps its lock while it is frozen; after this time others proceed without it. */
const TIMEOUT = 10_000;

/**
 * The work must be safe to run twice: without locks, or past a frozen tab, it may. The host counts
 * all deliveries under one key as one, so these locks only avoid the repetition.
 */
export async function withLock<T>(
  locks: Locks | null,
  timers: Timers,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (locks === null) return work();
  const timeout = new AbortController();
  const cancel = timers.after(TIMEOUT, () => timeout.abort());
  try {
    return await locks.request(name, { signal: timeout.signal }, () => {
      cancel();
      return work();
    });
  } catch (error) {
    if (!timeout.signal.aborted) throw error;
    return work();
  }
}

export function theseLocks(): Locks | null {
  const { navigator } = globalThis as { navigator?: { readonly locks?: Locks } };
  return navigator?.locks ?? null;
}
