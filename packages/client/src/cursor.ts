/** Interprets a frame for a follower that has received everything up to `seq`. Pure. */

import type { Event } from "@holdfast/protocol";
import type { EventSourceMessage } from "eventsource-parser";
import { type ApiError, problemError } from "./errors.ts";
import {
  type Data,
  type Heartbeat,
  isEvent,
  isHeartbeat,
  isReset,
  isRunToken,
  parseObject,
  type Reset,
  type RunToken,
} from "./wire.ts";

export type Followed =
  | { readonly type: "event"; readonly seq: number; readonly event: Event }
  /** Earlier events were trimmed: open the session again, and continue after `seq`. */
  | { readonly type: "reset"; readonly seq: number; readonly data: Reset }
  /** Shows that the host is alive; `now` is its clock, which derived texts must use. */
  | {
      readonly type: "heartbeat";
      readonly seq: number;
      readonly now: string;
      readonly data: Heartbeat;
    }
  /** A resume token, sent once to the caller that started the run. */
  | { readonly type: "token"; readonly data: RunToken }
  /** Always the last item. */
  | { readonly type: "end"; readonly reason: string };

export type Read =
  | { readonly is: "followed"; readonly followed: Followed; readonly seq: number | null }
  | { readonly is: "nothing" }
  /** The connection has ended: continue with a new one. */
  | { readonly is: "over"; readonly reason: string }
  | { readonly is: "refused"; readonly error: ApiError }
  | { readonly is: "broken"; readonly why: string };

/** `last` is the last event received; null when a run is followed from its first event. */
export function readFrame(frame: EventSourceMessage, last: number | null): Read {
  const data = parseObject(frame.data);
  if (data === null) return { is: "broken", why: "a frame is not a JSON object" };
  switch (frame.event) {
    case undefined:
    case "message":
      return readEvent(frame, data, last);
    case "heartbeat": {
      if (!isHeartbeat(data)) return { is: "nothing" };
      const { seq, now = "" } = data;
      return followed({ type: "heartbeat", seq, now, data }, last);
    }
    case "reset": {
      if (!isReset(data)) return { is: "broken", why: "a reset does not say where to go on" };
      return followed({ type: "reset", seq: data.seq, data }, data.seq);
    }
    case "token":
      return isRunToken(data) ? followed({ type: "token", data }, last) : { is: "nothing" };
    case "error":
      return { is: "refused", error: problemError(data) };
    case "end": {
      const reason = String(data.reason ?? "");
      if (!isFinal(reason)) return { is: "over", reason };
      return followed({ type: "end", reason }, last);
    }
    default:
      // Unknown named frames are ignored, because the host may add new ones.
      return { is: "nothing" };
  }
}

function isFinal(reason: string): boolean {
  return reason === "done" || reason === "gone";
}

function readEvent(frame: EventSourceMessage, data: Data, last: number | null): Read {
  if (!isEvent(data)) return { is: "broken", why: "a frame is not an event" };
  const { seq } = data;
  if (frame.id !== undefined && frame.id !== String(seq)) {
    return { is: "broken", why: `event ${seq} came under the id ${frame.id.slice(0, 20)}` };
  }
  if (last !== null && seq <= last) return { is: "nothing" };
  if (last !== null && seq !== last + 1) {
    return { is: "broken", why: `event ${seq} came after ${last}` };
  }
  return followed({ type: "event", seq, event: data }, seq);
}

function followed(what: Followed, seq: number | null): Read {
  return { is: "followed", followed: what, seq };
}
