/**
 * The messages of `/api/ws`: one JSON object per text message, both ways.
 *
 * In:  {"type":"auth","token"}                      first, unless the upgrade carried `Authorization`
 *      {"type":"subscribe","session","after"?}      after a seq; without `after`, from the head on
 *      {"type":"unsubscribe","session"}
 *      {"type":"subscribe_sessions"} {"type":"unsubscribe_sessions"}
 *      {"type":"status","session","id"?}             as GET …/status; the answer repeats `id`
 *      {"type":"resume","session","mode"?,"id"?}    as POST …/resume without waiting
 *      {"type":"ping"}
 *
 * Out: {"type":"subscribed","session","after","seq"}  events after `after` follow; `seq` is the head now
 *      {"type":"events","session","events":[…]}       whole events in order, as journalled
 *      {"type":"reset","session","seq","chain","state","messages","receipts"}   start over; events after `seq` follow
 *      {"type":"heartbeat","session","seq","chain","now","foldVersion"}   at once, then every 15 s
 *      {"type":"token","session","runId","token"}
 *      {"type":"end","session","reason","seq"}        this subscription has ended: `gone`, `restart`
 *      {"type":"unsubscribed","session"}              no further events of this session
 *      {"type":"subscribed_sessions"} {"type":"unsubscribed_sessions"}
 *      {"type":"session","session","title","status","happening",…}   a row of the list
 *      {"type":"needs","waiting","interrupted","failed"}   sessions that need a person, when that changes
 *      {"type":"status","session","id"?,"reply"} {"type":"resume","session","id"?,"reply"}   as the routes answer
 *      {"type":"pong","now"}
 *      {"type":"error","code","message","session"?}   with a session, its subscription has ended
 *      {"type":"error","code","message","request","id"?}   a status or a resume was refused
 *
 * Closed with 4401 when there is no valid credential (any more), 4429 when one has too many sockets or
 * too many wrong ones came from its address, and 1012 when the host restarts.
 */

import { HostError, isId, type SessionId } from "@holdfast/protocol";
import { z } from "zod";
import type { Base, Slice } from "../../journal/journal.ts";
import { memoizeByObject } from "../memoize-by-object.ts";
import { resetOf } from "../reset.ts";

export const closeCodes = { unauthorized: 4401, tooMany: 4429, restart: 1012 } as const;

const session = z.custom<SessionId>((value) => isId("session", value), {
  error: "is not a session id",
});

const requestId = z.string().max(100).optional();
const resumeMode = z.enum(["revive", "continue", "fresh"]).optional();

const inbound = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auth"), token: z.string().min(1) }),
  z.object({
    type: z.literal("subscribe"),
    session,
    after: z.number().int().nonnegative().optional(),
  }),
  z.object({ type: z.literal("unsubscribe"), session }),
  z.object({ type: z.literal("subscribe_sessions") }),
  z.object({ type: z.literal("unsubscribe_sessions") }),
  z.object({ type: z.literal("status"), session, id: requestId }),
  z.object({ type: z.literal("resume"), session, id: requestId, mode: resumeMode }),
  z.object({ type: z.literal("ping") }),
]);
export type Inbound = z.infer<typeof inbound>;
export type SocketRequest = Extract<Inbound, { type: "status" | "resume" }>;

export function parseMessage(text: string): Inbound | HostError {
  const parsed = inbound.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const said = parsed.error.issues.map(
    ({ path, message }) => `${path.map(String).join(".") || "message"}: ${message}`,
  );
  return new HostError("bad_input", `${said.slice(0, 3).join("; ")}. Nothing was changed.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NEWLINE = 0x0a;
const COMMA = 0x2c;

/** The stored lines with commas, not parsed; their content cannot forge a message. */
export const eventsMessage = memoizeByObject(({ bytes }: Slice, session: SessionId): Uint8Array => {
  const message = Buffer.concat([
    Buffer.from(`{"type":"events","session":"${session}","events":[`),
    bytes.subarray(0, -1),
    Buffer.from("]}"),
  ]);
  for (let at = message.indexOf(NEWLINE); at >= 0; at = message.indexOf(NEWLINE, at)) {
    message[at] = COMMA;
  }
  return message;
});

export const resetMessage = memoizeByObject(
  (base: Base, session: SessionId): Uint8Array =>
    Buffer.from(JSON.stringify({ type: "reset", session, ...resetOf(base) })),
);
