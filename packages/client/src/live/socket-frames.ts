/** Parses the host's WebSocket messages, which the server's `socket-messages.ts` defines. */

import type { Needs } from "@holdfast/protocol";
import { type ApiError, problemError } from "../errors.ts";
import {
  type Data,
  isEvent,
  isHeartbeat,
  isReset,
  isRunToken,
  isSeq,
  parseObject,
} from "../wire.ts";
import type { Heard, ListRow } from "./heard.ts";

export type Frame =
  | { readonly type: "session"; readonly session: string; readonly heard: Heard }
  /** The host accepted a subscription: later messages of the session belong to it. */
  | { readonly type: "subscribed"; readonly session: string; readonly heard: Heard }
  /** A subscription has ended. With `restart` the connection will end too. */
  | { readonly type: "ended"; readonly session: string; readonly reason: string }
  | { readonly type: "row"; readonly row: ListRow }
  | { readonly type: "needs"; readonly needs: Needs }
  /** The live list has started: a list read from now on misses no change. */
  | { readonly type: "listing" }
  | { readonly type: "pong" }
  | { readonly type: "refused"; readonly session: string | null; readonly error: ApiError }
  /** A newer or irrelevant kind of message. */
  | { readonly type: "other" };

/** Null for text that is not a message of a host. */
export function readSocketFrame(text: string): Frame | null {
  const data = parseObject(text);
  if (data === null || typeof data.type !== "string") return null;
  if (data.type === "pong") return { type: "pong" };
  if (data.type === "subscribed_sessions") return { type: "listing" };
  if (data.type === "error") return refused(data);
  if (data.type === "needs") return needs(data);
  const { session } = data;
  if (typeof session !== "string") return { type: "other" };
  switch (data.type) {
    case "subscribed": {
      const { after, seq } = data;
      if (!isSeq(after) || !isSeq(seq)) return null;
      return { type: "subscribed", session, heard: { type: "following", after, seq } };
    }
    case "events":
      return Array.isArray(data.events) && data.events.every(isEvent)
        ? of(session, { type: "events", events: data.events })
        : null;
    case "heartbeat":
      return isHeartbeat(data) ? of(session, { ...data, type: "heartbeat" }) : null;
    case "reset":
      return isReset(data) ? of(session, { ...data, type: "reset" }) : null;
    case "token":
      return isRunToken(data) ? of(session, { ...data, type: "token" }) : null;
    case "end":
      return { type: "ended", session, reason: String(data.reason ?? "") };
    case "session": {
      const { type: _type, ...row } = data;
      return isSeq(row.lastSeq) ? { type: "row", row: row as unknown as ListRow } : null;
    }
    default:
      return { type: "other" };
  }
}

function of(session: string, heard: Heard): Frame {
  return { type: "session", session, heard };
}

function needs({ waiting, interrupted, failed }: Data): Frame | null {
  if (!isSeq(waiting) || !isSeq(interrupted) || !isSeq(failed)) return null;
  return { type: "needs", needs: { waiting, interrupted, failed } };
}

function refused(data: Data): Frame {
  const session = typeof data.session === "string" ? data.session : null;
  return { type: "refused", session, error: problemError(data) };
}
