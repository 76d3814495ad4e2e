/** When time can change a session next: the one place that the head takes it from. */

import { openRun, type SessionState } from "@holdfast/protocol";
import type { Policy } from "../../policy.ts";
import { retentionTimes } from "./history.ts";
import { idlePauseAt } from "./lifecycle.ts";
import { dueTimes, mayExpire } from "./waits.ts";

/**
 * The earliest steady time, in any life, at which a rule here can say that something is due; null
 * while nothing can be. Too early costs the sweep a look, too late would be never.
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
