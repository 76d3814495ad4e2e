/** What a session's own store does not keep: its events as they are, and its receipts. */

import type { Client } from "@holdfast/client";
import { useHoldfast, useSession } from "@holdfast/client/react";
import type { Event, Receipt, RouteReply } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { type Knot, knotsOf } from "../line/knots.ts";
import { useAsked } from "./use-asked.ts";

/** As many as one answer of the host holds. */
const LIMIT = 1000;
/** A longer absence is told by its beginning. */
const MOST = 10_000;

const none: readonly Receipt[] = [];

/** Asked again whenever there is one more. */
export function useReceipts(sessionId: string, count: number): readonly Receipt[] {
  const reply = useAsked<"listReceipts">(
    async (host, signal) =>
      count === 0 ? { receipts: [] } : host.call("listReceipts", { params: { sessionId }, signal }),
    `${sessionId} ${count}`,
  );
  return reply?.receipts ?? none;
}

/** Events after a seq, up to another; null until they are there, or when there is no question. */
export function useEvents(
  sessionId: string,
  after: number | null,
  upTo: number,
): readonly Event[] | null {
  const { client } = useHoldfast();
  const [found, setFound] = useState<readonly Event[] | null>(null);
  useEffect(() => {
    setFound(null);
    if (after === null) return;
    const life = new AbortController();
    eventsOf(client, sessionId, { after, upTo: Math.min(upTo, after + MOST) }, life.signal).then(
      (events) => life.signal.aborted || setFound(events),
      // Out of reach, or refused: what was known stays.
      () => undefined,
    );
    return () => life.abort();
  }, [client, sessionId, after, upTo]);
  return found;
}

/** Page by page, until all are there. */
async function eventsOf(
  client: Client,
  sessionId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const all: Event[] = [];
  for (let at: number | null = after; at !== null && at < upTo; ) {
    const query: { after: number; limit: number } = { after: at, limit: LIMIT };
    const reply: RouteReply<"listEvents"> = await client.call("listEvents", {
      ...{ params: { sessionId }, query, signal },
    });
    const events = reply.events as unknown as Event[];
    all.push(...events.filter(({ seq }) => seq <= upTo));
    at = reply.next;
  }
  return all;
}

/**
 * The knots of a session's line: read once, then followed. Whatever the socket has brought is taken
 * from the store; the host is asked only for what came before it.
 */
export function useKnots(sessionId: string): readonly Knot[] {
  const { client } = useHoldfast();
  const { store, seq } = useSession(sessionId);
  const [{ knots, upTo }, setKnown] = useState<Known>(nothingKnown);
  useEffect(() => {
    if (seq <= upTo) return;
    const add = (events: readonly Event[]) =>
      setKnown((known) =>
        known.upTo === upTo ? { knots: [...knots, ...knotsOf(events)], upTo: seq } : known,
      );
    const heard = store.eventsAfter(upTo);
    if (heard !== null) {
      add(heard.filter((event) => event.seq <= seq));
      return;
    }
    const life = new AbortController();
    eventsOf(client, sessionId, { after: upTo, upTo: seq }, life.signal).then(
      (events) => life.signal.aborted || add(events),
      () => undefined,
    );
    return () => life.abort();
  }, [client, store, sessionId, seq, upTo, knots]);
  return knots;
}

interface Known {
  readonly knots: readonly Knot[];
  readonly upTo: number;
}

const nothingKnown: Known = { knots: [], upTo: 0 };
