/** The last message of a stream: the seq to continue from, or the error that ended it. */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Streams } from "./streams.ts";

export type EndReason =
  /** The stream's time is over; the client should reconnect. */
  | "recycle"
  /** The host goes down; the client should reconnect. */
  | "restart"
  /** The run has its outcome, and that was delivered. */
  | "done"
  | "gone";

export type LastMessage =
  | { readonly type: "end"; readonly said: { readonly reason: EndReason; readonly seq: number } }
  | { readonly type: "error"; readonly said: { readonly code: string; readonly message: string } };

export function endMessage(reason: EndReason, seq: number): LastMessage {
  return { type: "end", said: { reason, seq } };
}

export const revokedMessage: LastMessage = {
  type: "error",
  said: { code: "unauthorized", message: "This credential was revoked. Sign in again." },
};

/** The last message for an error while following. Errors without a code are also reported to the host. */
export function failureMessage(
  { onError }: Pick<Streams, "onError">,
  session: SessionId,
  seq: number,
  error: unknown,
): LastMessage {
  if (!(error instanceof HostError)) {
    onError(session, error);
    const message = "Something went wrong in the host. Connect again to go on.";
    return { type: "error", said: { code: "internal", message } };
  }
  if (error.code === "session_not_found") return endMessage("gone", seq);
  if (error.code === "journal_closed") return endMessage("restart", seq);
  return { type: "error", said: { code: error.code, message: error.message } };
}
