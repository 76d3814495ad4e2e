/** The head: derived words written beside the events so that lists and boot need not read them. */

import { deriveStatus, lastActiveAt, needOf, openRun, type SessionState } from "@holdfast/protocol";
import type { Head } from "../journal/journal.ts";
import type { Policy } from "../policy.ts";
import { dueAt } from "./rules/due.ts";

export function headOf(state: SessionState, epoch: number, policy: Policy): Head {
  const { lifecycle, status } = deriveStatus(state, { epoch });
  return {
    tenant: state.tenant,
    title: state.title,
    agentName: state.agentName,
    lifecycle,
    status,
    need: needOf(state)?.kind ?? null,
    open: openRun(state) !== null,
    dueAt: dueAt(state, policy),
    createdAt: Date.parse(state.createdAt),
    // A host that recovers is no activity: lists stay in the order people left them in.
    updatedAt: Date.parse(lastActiveAt(state)),
  };
}

/** `updatedAt` alone is no reason to write a head: it moves with every word an agent says. */
export function sameHead(left: Head, right: Head): boolean {
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
