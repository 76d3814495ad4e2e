/** One tab at a time, where a browser has Web Locks (secure contexts only). */

import type { Timers } from "./timers.ts";

/** `navigator.locks`, as much of it as is used. */
export interface Locks {
  request<T>(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T>;
}

/** A frozen tab keeps its lock for as long as it is frozen: nobody waits longer for it. */
const PATIENCE = 10_000;

/**
 * What runs here twice must be harmless: without locks, or past a frozen tab, it may. The host counts
 * every delivery under one key as one, so these locks only spare it the repetition.
 */
export async function alone<T>(
  locks: Locks | null,
  timers: Timers,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (locks === null) return work();
  const patience = new AbortController();
  const cancel = timers.after(PATIENCE, () => patience.abort());
  try {
    return await locks.request(name, { signal: patience.signal }, () => {
      cancel();
      return work();
    });
  } catch (error) {
    if (!patience.signal.aborted) throw error;
    return work();
  }
}

export function theseLocks(): Locks | null {
  const { navigator } = globalThis as { navigator?: { readonly locks?: Locks } };
  return navigator?.locks ?? null;
}
