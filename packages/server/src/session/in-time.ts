import type { Clock } from "../clock.ts";

/** What it resolves with, or null when that takes longer. */
export async function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const take = clock.after(ms, () => resolve(null));
  return Promise.race([work, late]).finally(take);
}
