/** Events that may happen only once, in one list, as constraints for the store. */

import { type EventBody, outcomeOf } from "@holdfast/protocol";
import type { OnceFact } from "../journal/journal.ts";

export function onceFacts(events: readonly EventBody[]): OnceFact[] {
  const facts: OnceFact[] = [];
  for (const event of events) {
    const fact = onceFact(event);
    if (fact !== null) facts.push(fact);
  }
  return facts;
}

/** Two creates under one key get the same session; the tenant is part of the key. */
export function createdFact(tenant: string, key: string): OnceFact {
  return { name: "created", key: `create/${tenant}/${key}` };
}

function onceFact(event: EventBody): OnceFact | null {
  if (outcomeOf(event.kind) !== undefined) {
    return { name: "outcome", key: (event as { runId: string }).runId };
  }
  switch (event.kind) {
    case "session.created":
      return event.key === undefined ? null : createdFact(event.tenant, event.key);
    case "run.started":
      return { name: "run", key: event.runId };
    case "message.user":
    case "message.queued":
      return event.clientId === undefined ? null : { name: "client", key: event.clientId };
    case "token.consumed":
      return { name: "token", key: event.tokenId };
    case "approval.decided":
      return { name: "approval", key: event.approvalId };
    case "run.resumed":
      return event.key === undefined ? null : { name: "command", key: event.key };
    default:
      return null;
  }
}

const essentialKinds: ReadonlySet<string> = new Set([
  "run.cancel_requested",
  "run.cancelled",
  "run.completed",
  "run.failed",
  "run.interrupted",
  "run.resumed",
  "run.adopted",
  "run.unreachable",
  "attempt.started",
  "attempt.accepted",
  "approval.decided",
  "approval.delivered",
  "approval.withdrawn",
  "result.delivered",
  "token.consumed",
  "token.revoked",
  "token.expired",
  "message.removed",
  "session.paused",
  "session.ended",
  "agent.exited",
  "holder.exited",
  "journal.folded",
]);

/** The start of a run can wait for disk space; essential kinds after it in a batch do not count. */
const starts: ReadonlySet<string> = new Set(["run.started"]);

/**
 * True for a batch that must still fit on a full disk: answers, cancels, ends, and reports to the
 * caller. The whole batch is judged: an outcome is accepted also when the queue's next run follows
 * in the same batch.
 */
export function isEssential(events: readonly EventBody[]): boolean {
  const decisive = events.findIndex((event) => essentialKinds.has(event.kind));
  if (decisive < 0) return events.every((event) => event.kind === "status.derived");
  const start = events.findIndex((event) => starts.has(event.kind));
  return start < 0 || decisive < start;
}
