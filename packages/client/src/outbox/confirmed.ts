/** Tells when the journal has an outbox item, so that it is shown once: in the session or as an item. */

import { openRun, type SessionState } from "@holdfast/protocol";
import type { OutboxItem } from "./outbox.ts";

/** The event may arrive before the answer to the request, so an item that was sent is looked for. */
export function isConfirmed(item: OutboxItem, state: SessionState): boolean {
  const { id, action, seq } = item;
  if (seq !== undefined && seq <= state.seq) return true;
  if (item.state === "refused" || item.mayHaveArrived !== true) return false;
  const run = openRun(state);
  switch (action.type) {
    case "message":
      return state.clients.some(({ clientId }) => clientId === id);
    case "approval": {
      const asked = run?.approvals.find((one) => one.id === action.approvalId);
      return asked === undefined || asked.decision !== null || asked.withdrawn;
    }
    case "cancel":
      return run?.id !== action.runId || run.cancel !== null;
  }
}
