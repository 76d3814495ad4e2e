import type { SessionSnapshot } from "@holdfast/client";
import type { StatusView } from "@holdfast/protocol";
import { useMemo, useRef } from "react";
import type { ReviveProgress } from "../../components/session/recovering.tsx";
import { useEvents } from "../hooks/use-journal.ts";
import { reviveProgress } from "./revive-progress.ts";

/** Events to read back on a page that opens during a revive, which has only a few. */
const BACK = 40;

export function useReviveProgress(
  id: string,
  { session, seq }: SessionSnapshot,
  status: StatusView | null,
  isAsked: boolean,
): ReviveProgress | null {
  const isComing = isAsked || session?.runtime.state === "starting";
  const idleAt = useRef<number | null>(null);
  if (session !== null) {
    if (isComing) idleAt.current ??= Math.max(0, seq - BACK);
    else idleAt.current = seq;
  }
  const events = useEvents(id, isComing ? idleAt.current : null, seq);
  // Keeps the rung announced before the revive: during it, the host's status describes the new
  // process.
  const before = useRef(status?.nextRung ?? null);
  if (!isComing) before.current = status?.nextRung ?? null;
  const nextRung = before.current;
  return useMemo(
    () => (isComing && events !== null ? reviveProgress(events, nextRung) : null),
    [isComing, events, nextRung],
  );
}
