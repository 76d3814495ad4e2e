/** What a session's own store does not keep: its events as they are, and its receipts. */

import type { Event, Receipt } from "@holdfast/protocol";
import { useMemo } from "react";
import { useAsked } from "./use-asked.ts";

/** As many as one answer of the host holds; a longer absence is told by its beginning. */
const LIMIT = 1000;

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
  const reply = useAsked<"listEvents">(async (host, signal) => {
    if (after === null) return { events: [], lastSeq: 0, next: null };
    const query = { after, limit: LIMIT };
    return host.call("listEvents", { params: { sessionId }, query, signal });
  }, `${sessionId} ${after} ${upTo}`);
  return useMemo(() => {
    if (reply === null || after === null) return null;
    return (reply.events as unknown as Event[]).filter(({ seq }) => seq <= upTo);
  }, [reply, after, upTo]);
}
