import type { Clock } from "./clock.ts";

/** The result of `work`, or null when it takes longer than `ms`. */
export async function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const take = clock.after(ms, () => resolve(null));
  return Promise.race([work, late]).finally(take);
}
