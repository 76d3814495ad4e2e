/** Data that the session's store does not keep: raw events, and receipts. */

import type { Client } from "@holdfast/client";
import { useHoldfast, useSession } from "@holdfast/client/react";
import type { Event, Receipt, RouteReply } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { emptyLine, type Knot, type KnotLine, lengthened } from "../../line/knots.ts";
import { useAsked } from "./use-asked.ts";

/** The host's limit of events per reply. */
const LIMIT = 1000;
/** The most events to load; of a longer absence only the beginning is shown. */
const MOST = 10_000;

const none: readonly Receipt[] = [];

/** Receipts of a session, fetched again when `count` changes. */
export function useReceipts(sessionId: string, count: number): readonly Receipt[] {
  const reply = useAsked<"listReceipts">(
    async (host, signal) =>
      count === 0 ? { receipts: [] } : host.call("listReceipts", { params: { sessionId }, signal }),
    `${sessionId} ${count}`,
  );
  return reply?.receipts ?? none;
}

/** Events after one seq, up to another; null until they are loaded, or when `after` is null. */
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
      // When the host is unreachable or refuses, the last result stays.
      () => undefined,
    );
    return () => life.abort();
  }, [client, sessionId, after, upTo]);
  return found;
}

/** Loads the events page by page. */
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
      params: { sessionId },
      query,
      signal,
    });
    all.push(...reply.events.filter(({ seq }) => seq <= upTo));
    at = reply.next;
  }
  return all;
}

/**
 * The knots of a session's line: loaded once, then followed. Events that the socket brought come
 * from the store; the host is asked only for those before them.
 */
export function useKnots(sessionId: string): readonly Knot[] {
  const { client } = useHoldfast();
  const { store, seq } = useSession(sessionId);
  const [{ line, upTo }, setKnown] = useState<Known>(nothingKnown);
  useEffect(() => {
    if (seq <= upTo) return;
    const add = (events: readonly Event[]) =>
      setKnown((known) =>
        known.upTo === upTo ? { line: lengthened(line, events), upTo: seq } : known,
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
  }, [client, store, sessionId, seq, upTo, line]);
  return line.knots;
}

interface Known {
  readonly line: KnotLine;
  readonly upTo: number;
}

const nothingKnown: Known = { line: emptyLine, upTo: 0 };
