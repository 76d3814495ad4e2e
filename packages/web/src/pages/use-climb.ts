/** How a session comes back, while it does: asked of its journal with each event that comes. */

import type { SessionSnapshot } from "@holdfast/client";
import type { StatusView } from "@holdfast/protocol";
import { useMemo, useRef } from "react";
import type { Climb } from "../components/recovering.tsx";
import { climbOf } from "./climb-of.ts";
import { useEvents } from "./use-journal.ts";

/** A revive is a handful of events; nothing else happens in between. */
const BACK = 40;

export function useClimb(
  id: string,
  { session, seq }: SessionSnapshot,
  status: StatusView | null,
  isAsked: boolean,
): Climb | null {
  const isComing = isAsked || session?.runtime.state === "starting";
  const events = useEvents(id, isComing ? Math.max(0, seq - BACK) : null, seq);
  // While it comes up the host is asked about what is there by then: what it said before is meant.
  const before = useRef(status?.nextRung ?? null);
  if (!isComing) before.current = status?.nextRung ?? null;
  const nextRung = before.current;
  return useMemo(
    () => (isComing && events !== null ? climbOf(events, nextRung) : null),
    [isComing, events, nextRung],
  );
}
