/** Which events may become true only once. In one place, so that no writer can forget to say so. */

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

function onceFact(event: EventBody): OnceFact | null {
  if (outcomeOf(event.kind) !== undefined) {
    return { name: "outcome", key: (event as { runId: string }).runId };
  }
  switch (event.kind) {
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
  "session.ended",
  "session.paused",
  "status.derived",
  "token.revoked",
  "token.expired",
  "approval.withdrawn",
  "approval.decided",
  "run.resumed",
  "tool.finished",
  "message.removed",
  "journal.folded",
]);

/** What must still fit on a full disk: stopping things, ending things, making room. */
export function isEssential(events: readonly EventBody[]): boolean {
  return events.every((event) => essentialKinds.has(event.kind));
}
