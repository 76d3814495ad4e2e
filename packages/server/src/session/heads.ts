/** The head: derived words written beside the events so that lists and boot need not read them. */

import { deriveStatus, openRun, type SessionState } from "@holdfast/protocol";
import type { Head } from "../journal/journal.ts";
import type { Policy } from "../policy.ts";

export function headOf(state: SessionState, epoch: number, policy: Policy): Head {
  const { lifecycle, status } = deriveStatus(state, { epoch });
  return {
    tenant: state.tenant,
    title: state.title,
    agentName: state.agentName,
    lifecycle,
    status,
    open: openRun(state) !== null,
    dueAt: dueAt(state, policy),
    createdAt: Date.parse(state.createdAt),
    updatedAt: Date.parse(state.updatedAt),
  };
}

/** `updatedAt` alone is no reason to write a head: it moves with every word an agent says. */
export function sameHead(left: Head, right: Head): boolean {
  return (
    left.status === right.status &&
    left.lifecycle === right.lifecycle &&
    left.open === right.open &&
    left.dueAt === right.dueAt &&
    left.title === right.title &&
    left.tenant === right.tenant &&
    left.agentName === right.agentName
  );
}

/** When the sweep must look at this session again; null while nothing can fall due. */
function dueAt(state: SessionState, policy: Policy): number | null {
  const times: number[] = [];
  const run = state.run;
  for (const wait of run?.waits ?? []) {
    if (wait.deadlineAt !== null) times.push(Date.parse(wait.deadlineAt));
    if (wait.token?.expiresAt != null) times.push(Date.parse(wait.token.expiresAt));
    if (wait.kind !== "human" && wait.token?.status !== "active") times.push(0);
  }
  if (state.ended !== null) times.push(Date.parse(state.ended.at) + policy.endedKept);
  else if (policy.sessionTtl !== null && openRun(state) === null) {
    times.push(Date.parse(state.updatedAt) + policy.sessionTtl);
  }
  if (run?.endedAt != null && state.trimmedTo < run.startedSeq) {
    const kept = run.outcome === "failed" ? policy.errorDetailKept : policy.runDetailKept;
    times.push(Date.parse(run.endedAt) + kept);
  }
  return times.length === 0 ? null : Math.min(...times);
}
