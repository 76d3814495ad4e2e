/**
 * Journalled times are wall time; rules compare steady time. Each journalled time is stored with
 * the difference between wall and steady time (`clock`), so that within one boot the time that
 * really passed is measured. A later boot's steady time starts from another wall time, so it uses
 * the journalled wall time.
 */

import type { Moment } from "./rule.ts";

/** The boot and clock difference of a journalled time; nulls in older journals. */
interface ClockStamp {
  readonly epoch: number | null;
  readonly clock: number | null;
}

export function clockOf(at: Moment): number {
  return Math.round(at.now - at.steady);
}

/** The steady time in the boot `epoch`; for null, the earliest that it can be in any boot. */
export function steadyTime(time: string, written: ClockStamp, epoch: number | null): number {
  const wall = Date.parse(time);
  if (written.clock === null) return wall;
  if (epoch === null) return Math.min(wall, wall - written.clock);
  return written.epoch === epoch ? wall - written.clock : wall;
}
