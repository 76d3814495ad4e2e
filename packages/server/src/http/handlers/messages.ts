/** Sends messages: each becomes a run or is queued; a repeated request has no effect. */

import {
  type Event,
  HostError,
  queuedView,
  type RouteReply,
  type SessionId,
  type Transcript,
} from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import type { Caller } from "../../access/credentials/caller.ts";
import type { Journal } from "../../journal/journal.ts";
import type { CallerSessions } from "../../session/sessions.ts";
import { actor } from "../request/actor.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { storable } from "./content.ts";
import { showRecord, showSession, showStarted } from "./show.ts";

export interface Sending {
  readonly content: string;
  readonly clientId?: string | undefined;
  readonly model?: string | undefined;
  readonly whenBusy?: "queue" | "interrupt" | undefined;
}

type Sent = RouteReply<"sendMessage">;

export function messageHandlers(deps: HandlerDeps): HandlersOf<"sendMessage"> {
  return {
    sendMessage: ({ caller, at, body, idempotencyKey }) =>
      send(deps, at.session, caller, { ...body, clientId: body.clientId ?? idempotencyKey }),
  };
}

export type SendDeps = Pick<HandlerDeps, "host" | "runCreated">;

export async function send(
  { host: { sessions, journal, blobs }, runCreated }: SendDeps,
  session: SessionId,
  caller: Caller,
  { content, ...rest }: Sending,
): Promise<Sent> {
  const { clientId } = rest;
  // First of all, because a repeated request gets its answer even after the session has ended.
  const known = clientId === undefined ? null : await sentLately(sessions, session, clientId);
  if (known !== null) return resultOf(sessions, session, known, content);
  const input = { ...(await storable(blobs, session, content)), ...rest, by: actor(caller) };
  const { state, events } = await sessions.ask(session, "prompt", input);
  const sent = events.find(isMessage);
  if (sent === undefined) {
    const lately = await sentLately(sessions, session, clientId ?? "");
    const before = lately ?? (await sentBefore(journal, session, clientId ?? ""));
    return resultOf(sessions, session, before, content);
  }
  runCreated?.(sent.messageId, caller);
  const queued = state.queue.find(({ id }) => id === sent.messageId);
  return {
    run: queued === undefined ? showStarted(sessions, state) : null,
    queued: queued === undefined ? null : queuedView(queued),
    session: showSession(sessions, state),
    seq: sent.seq,
  };
}

/** A message that was sent before, as found in the state or the journal. */
interface Known {
  readonly messageId: string;
  readonly seq: number;
}

async function resultOf(
  sessions: CallerSessions,
  session: SessionId,
  sent: Known | null,
  content: string,
): Promise<Sent> {
  const opened = await sessions.open(session);
  const { state, transcript } = opened;
  mustBeRepeated(transcript, sent, content);
  const queued = state.queue.find(({ id }) => id === sent?.messageId);
  const run = transcript.runs.find(({ messageId }) => messageId === sent?.messageId);
  return {
    run: run === undefined ? null : showRecord(sessions, opened, run),
    queued: queued === undefined ? null : queuedView(queued),
    session: showSession(sessions, state),
    seq: sent?.seq ?? state.seq,
  };
}

async function sentLately(
  sessions: CallerSessions,
  session: SessionId,
  clientId: string,
): Promise<Known | null> {
  const { clients } = await sessions.state(session);
  return clients.find((known) => known.clientId === clientId) ?? null;
}

/** Refuses another message under a used client id, which would be lost silently otherwise. */
function mustBeRepeated({ messages }: Transcript, sent: Known | null, content: string): void {
  const part = messages.find(({ id }) => id === sent?.messageId)?.contentParts[0];
  // Long messages cannot be compared: the journal holds only their preview.
  if (part?.type !== "text" || part.blob !== undefined || part.text === content) return;
  throw new HostError(
    "client_id_used",
    "This clientId or Idempotency-Key was already used for another message. Use a new one.",
  );
}

/** Finds an old message through the store's facts; null when its events were trimmed. */
async function sentBefore(
  journal: Journal,
  session: SessionId,
  clientId: string,
): Promise<Known | null> {
  const at = await journal.fact(session, { name: "client", key: clientId });
  if (at === null) return null;
  // The fact's seq is its batch's last event, and a batch with a message has only a few events.
  const events = await eventsBefore(journal, session, at, 16);
  return events.filter(isMessage).find((sent) => sent.clientId === clientId) ?? null;
}

async function eventsBefore(journal: Journal, session: SessionId, seq: number, count: number) {
  try {
    const slice = await journal.read(session, Math.max(0, seq - count), count);
    return slice === null ? [] : decodeEvents(slice.bytes);
  } catch (error) {
    if (error instanceof HostError && error.code === "below_retention") return [];
    throw error;
  }
}

type MessageEvent = Extract<Event, { kind: "message.user" | "message.queued" }>;

function isMessage(event: Event): event is MessageEvent {
  return event.kind === "message.user" || event.kind === "message.queued";
}
