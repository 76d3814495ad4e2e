/** How a stream ends: with a place to go on from, or with why it cannot go on. */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Streams } from "./streams.ts";

export type EndReason =
  /** Its time is over; connect again. */
  | "recycle"
  /** The host goes down; connect again. */
  | "restart"
  /** The run has its outcome, and that was delivered. */
  | "done"
  /** The session was deleted. */
  | "gone";

export type LastWord =
  | { readonly type: "end"; readonly said: { readonly reason: EndReason; readonly seq: number } }
  | { readonly type: "error"; readonly said: { readonly code: string; readonly message: string } };

export function end(reason: EndReason, seq: number): LastWord {
  return { type: "end", said: { reason, seq } };
}

export const revoked: LastWord = {
  type: "error",
  said: { code: "unauthorized", message: "This credential was revoked. Sign in again." },
};

/** For what following threw. A failure that has no code is told to the host as well. */
export function failed(
  { onError }: Pick<Streams, "onError">,
  session: SessionId,
  seq: number,
  error: unknown,
): LastWord {
  if (!(error instanceof HostError)) {
    onError(session, error);
    const message = "Something went wrong in the host. Connect again to go on.";
    return { type: "error", said: { code: "internal", message } };
  }
  if (error.code === "session_not_found") return end("gone", seq);
  if (error.code === "journal_closed") return end("restart", seq);
  return { type: "error", said: { code: error.code, message: error.message } };
}
