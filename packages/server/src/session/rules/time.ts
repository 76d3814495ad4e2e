/**
 * Journalled times are wall time; rules compare steady time. Beside a time stands how far the wall
 * was ahead of steady time when it was written, so that within one life what passes is what really
 * passed. Another life's steady time began at another wall time, and takes the journal's word.
 */

import type { Moment } from "./rule.ts";

/** Where a journalled time comes from; nulls where an older journal does not say. */
export interface Written {
  readonly epoch: number | null;
  readonly clock: number | null;
}

export function clockOf(at: Moment): number {
  return Math.round(at.now - at.steady);
}

/** The steady time in that life; without one, the earliest that it can be in any. */
export function steadyTime(time: string, written: Written, epoch: number | null): number {
  const wall = Date.parse(time);
  if (written.clock === null) return wall;
  if (epoch === null) return Math.min(wall, wall - written.clock);
  return written.epoch === epoch ? wall - written.clock : wall;
}
