import type { SessionSnapshot } from "@holdfast/client";
import { useMemo } from "react";
import { awayBand } from "../../line/away.ts";
import { type AwayBand, type Row, rowsOf } from "../../line/rows.ts";
import { useEvents } from "../hooks/use-journal.ts";

export function useStory(id: string, snapshot: SessionSnapshot, isHeard: boolean): readonly Row[] {
  const { messages, earlier, run, receipts, session, state } = snapshot;
  const isEnded = session?.lifecycle === "ended";
  const isDismissed = state?.run?.dismissed === true;
  const away = useAway(id, snapshot.away);
  return useMemo(
    () => rowsOf({ messages, earlier, run, receipts, away, isHeard, isEnded, isDismissed }),
    [messages, earlier, run, receipts, away, isHeard, isEnded, isDismissed],
  );
}

function useAway(id: string, away: SessionSnapshot["away"]): AwayBand | null {
  const events = useEvents(id, away?.fromSeq ?? null, away?.toSeq ?? 0);
  return useMemo(() => (away === null ? null : awayBand(events)), [away, events]);
}
