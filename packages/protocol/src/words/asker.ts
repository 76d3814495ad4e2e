/** Words for an open question whose agent stopped after it asked. */

import type { RuntimeState, SessionState } from "../session.ts";

/**
 * The effect of an answer when the process that asked is gone; null while that process may still
 * take it. `runtime` is the derived state, because a runtime of an earlier boot counts as gone.
 */
export function askerWords(
  { run, runtime: { holderId } }: Pick<SessionState, "run" | "runtime">,
  approvalId: string,
  runtime: RuntimeState["state"],
): string | null {
  const askedBy = run?.approvals.find(({ id }) => id === approvalId)?.askedBy ?? null;
  // An agent inside the host process has no holder, and its runtime may count as none while it lives.
  if (askedBy === null || runtime === "unreachable") return null;
  if (runtime === "none") return askerStopped;
  return askedBy.holderId === holderId ? null : askerRestarted;
}

const goesOn = "is told your answer. It may repeat steps, and ask again.";

export const askerStopped = `The agent stopped after it asked. It restarts when you answer, if not before, and ${goesOn}`;
const askerRestarted = `The agent was restarted after it asked. After your answer it ${goesOn}`;
