/** The head: derived columns, so that lists and boot need not read the events. */

import { deriveStatus, lastActiveAt, needOf, openRun, type SessionState } from "@holdfast/protocol";
import type { Policy } from "../base/policy.ts";
import type { Head } from "../journal/journal.ts";
import { dueAt } from "./rules/due.ts";

/** Returns `before` when only the times changed, which every output does. */
export function headOf(
  state: SessionState,
  epoch: number,
  policy: Policy,
  before: Head | null = null,
): Head {
  const { lifecycle, status } = deriveStatus(state, { epoch });
  const listed = {
    tenant: state.tenant,
    title: state.title,
    agentName: state.agentName,
    lifecycle,
    status,
    need: needOf(state)?.kind ?? null,
    open: openRun(state) !== null,
    dueAt: dueAt(state, policy),
  };
  if (before !== null && isListedAlike(before, listed)) return before;
  const createdAt = Date.parse(state.createdAt);
  // Recovery is not activity, so lists keep their order after a restart.
  return { ...listed, createdAt, updatedAt: Date.parse(lastActiveAt(state)) };
}

type Listed = Omit<Head, "createdAt" | "updatedAt">;

function isListedAlike(left: Listed, right: Listed): boolean {
  return (
    left.status === right.status &&
    left.need === right.need &&
    left.lifecycle === right.lifecycle &&
    left.open === right.open &&
    left.dueAt === right.dueAt &&
    left.title === right.title &&
    left.tenant === right.tenant &&
    left.agentName === right.agentName
  );
}
