/** A session as rows: what the store has, and what is asked for beside it. */

import type { SessionSnapshot } from "@holdfast/client";
import { useMemo } from "react";
import { awayWords } from "../line/knots.ts";
import { type AwayBand, type Row, rowsOf } from "../line/rows.ts";
import { spliceOfReceipt } from "../line/splices.ts";
import { useEvents, useReceipts } from "./use-journal.ts";

export function useStory(id: string, snapshot: SessionSnapshot, isHeard: boolean): readonly Row[] {
  const { messages, earlier, run, state } = snapshot;
  const receipts = useReceipts(id, state?.recovery.receipts ?? 0);
  const away = useAway(id, snapshot.away);
  return useMemo(() => {
    const splices = receipts.map(spliceOfReceipt);
    return rowsOf({ messages, earlier, run, splices, away, isHeard });
  }, [messages, earlier, run, receipts, away, isHeard]);
}

function useAway(id: string, away: SessionSnapshot["away"]): AwayBand | null {
  const events = useEvents(id, away?.fromSeq ?? null, away?.toSeq ?? 0);
  return useMemo(() => {
    if (away === null) return null;
    const since = events?.[0]?.ts ?? null;
    const words = events === null ? "the agent went on" : awayWords(events);
    return { since, words, firstMessageId: away.firstMessageId };
  }, [away, events]);
}
