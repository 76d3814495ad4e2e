/** Delivers one item to the host: it is accepted, refused with a reason, or must be retried. */

import type { ApprovalView } from "@holdfast/protocol";
import type { Client } from "../client.ts";
import { ApiError, TransportError } from "../errors.ts";
import type { Refusal, StoredItem } from "./item.ts";

export type Delivery =
  /** The journal up to `seq` shows it; 0 when an earlier host does not say. */
  | { readonly is: "accepted"; readonly seq: number }
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
    return await bring(client, item, signal);
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
): Promise<Delivery> {
  const once = { idempotencyKey: id, signal };
  switch (action.type) {
    case "message": {
      const { type: _, ...message } = action;
      const params = { sessionId: session };
      const body = { ...message, clientId: id };
      return accepted(await client.call("sendMessage", { params, body, ...once }));
    }
    case "approval": {
      const { type: _, runId, approvalId, ...answer } = action;
      const params = { runId, approvalId };
      const reply = await client.call("decideApproval", { params, body: answer, ...once });
      return reply.success ? accepted(reply) : answered(reply.approval);
    }
    case "cancel": {
      const params = { runId: action.runId };
      const reply = await client.call("cancelRun", { params, ...once });
      const { success, run } = reply;
      // A cancelled run is the wanted result, even if an earlier delivery of this item cancelled
      // it.
      return success || run.outcome === "cancelled" ? accepted(reply) : over(run.status);
    }
  }
}

function accepted({ seq = 0 }: { readonly seq?: number }): Delivery {
  return { is: "accepted", seq };
}

function refused(code: string, message: string): Delivery {
  return { is: "refused", refusal: { code, message } };
}

function answered({ decision, by }: ApprovalView): Delivery {
  const who = by === null ? "" : ` by ${by}`;
  const message = `This question was already answered${who}: ${decision ?? "withdrawn"}. That answer counts.`;
  return refused("already_done", message);
}

function over(status: string): Delivery {
  return refused("not_open", `The run had already ended (${status}) before it could be cancelled.`);
}
