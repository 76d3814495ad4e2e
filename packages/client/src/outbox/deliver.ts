/** Delivers one item to the host: it is accepted, refused with a reason, or must be retried. */

import type { ApprovalView } from "@holdfast/protocol";
import type { Client } from "../client.ts";
import { ApiError, TransportError } from "../errors.ts";
import type { Refusal, StoredItem } from "./item.ts";

export type Delivery =
  | { readonly is: "taken" }
  | { readonly is: "refused"; readonly refusal: Refusal }
  /** There was no answer, or the host is busy: the item waits. */
  | { readonly is: "waiting"; readonly why: string }
  /** The credential is no longer valid: the item waits for another. */
  | { readonly is: "unauthorized"; readonly why: string };

export async function deliver(
  client: Client,
  item: StoredItem,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    const refusal = await bring(client, item, signal);
    return refusal === null ? { is: "taken" } : { is: "refused", refusal };
  } catch (error) {
    // An aborted delivery may have arrived; it is sent again under its key.
    if (signal.aborted) return { is: "waiting", why: (signal.reason as Error).message };
    if (error instanceof TransportError) return { is: "waiting", why: error.message };
    if (!(error instanceof ApiError)) throw error;
    const { code, message, status, field } = error;
    if (status === 401) return { is: "unauthorized", why: message };
    if (error.mayRetry) return { is: "waiting", why: message };
    const about = field === null ? {} : { field };
    return { is: "refused", refusal: { code, message, ...about } };
  }
}

async function bring(
  client: Client,
  { id, session, action }: StoredItem,
  signal: AbortSignal,
): Promise<Refusal | null> {
  const once = { idempotencyKey: id, signal };
  switch (action.type) {
    case "message": {
      const { type: _, ...message } = action;
      const params = { sessionId: session };
      await client.call("sendMessage", { params, body: { ...message, clientId: id }, ...once });
      return null;
    }
    case "approval": {
      const { type: _, runId, approvalId, ...answer } = action;
      const params = { runId, approvalId };
      const reply = await client.call("decideApproval", { params, body: answer, ...once });
      return reply.success ? null : answered(reply.approval);
    }
    case "cancel": {
      const params = { runId: action.runId };
      const { success, run } = await client.call("cancelRun", { params, ...once });
      // A cancelled run is the wanted result, even if an earlier delivery of this item cancelled
      // it.
      return success || run.outcome === "cancelled" ? null : over(run.status);
    }
  }
}

function answered({ decision, by }: ApprovalView): Refusal {
  const who = by === null ? "" : ` by ${by}`;
  const message = `It was answered before${who}: ${decision ?? "withdrawn"}. That answer stands.`;
  return { code: "already_done", message };
}

function over(status: string): Refusal {
  return { code: "not_open", message: `The run was over before it could be cancelled: ${status}.` };
}
