/** The host's answer to whether a session can be revived, fetched again whenever it may change. */

import type { SessionSnapshot } from "@holdfast/client";
import type { StatusView } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { useAsked } from "../hooks/use-asked.ts";
import { standingKey } from "./allowed-actions.ts";

/** Time in ms until it asks again: no event marks the end of an agent's restart. */
const STALE_MS = 5000;

export function useStatus(
  sessionId: string,
  snapshot: SessionSnapshot,
  isHeard: boolean,
): StatusView | null {
  const [again, setAgain] = useState(0);
  const key = standingKey(snapshot);
  const status = useAsked("getStatus", {
    options: { params: { sessionId } },
    key: `${sessionId} ${isHeard} ${key} ${again}`,
    isWanted: key !== "",
  });
  useEffect(() => {
    if (status?.reason !== "stale_execution") return;
    const timer = setTimeout(() => setAgain((n) => n + 1), STALE_MS);
    return () => clearTimeout(timer);
  }, [status]);
  return status;
}
