/** Computes the time at which the sweep must check a session next. The head stores it. */

import { openRun, type SessionState } from "@holdfast/protocol";
import type { Policy } from "../../base/policy.ts";
import { retentionTimes } from "./history.ts";
import { idlePauseAt } from "./lifecycle.ts";
import { dueTimes, mayExpire } from "./waits.ts";

/**
 * The earliest steady time, in any boot, at which a rule can find an action due; null when no
 * action can become due. A time that is too early costs one extra check; a time that is too late
 * would never be checked.
 */
export function dueAt(state: SessionState, policy: Policy): number | null {
  const run = openRun(state);
  const waits = run !== null && mayExpire(run) ? run.waits : [];
  const times = [
    ...waits.flatMap((wait) => dueTimes(wait, null)),
    ...retentionTimes(state, policy),
    ...[idlePauseAt(state, policy)].filter((time) => time !== null),
  ];
  return times.length === 0 ? null : Math.min(...times);
}
