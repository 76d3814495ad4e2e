/** What the host says of bringing a session up, asked again whenever its answer may be another. */

import type { SessionSnapshot } from "@holdfast/client";
import type { StatusView } from "@holdfast/protocol";
import { useEffect, useState } from "react";
import { standingKey } from "./standing-of.ts";
import { useAsked } from "./use-asked.ts";

/** An agent that was just seen going may be on its way back: no event says when that is over. */
const STALE_MS = 5000;

export function useStatus(
  sessionId: string,
  snapshot: SessionSnapshot,
  isHeard: boolean,
): StatusView | null {
  const [again, setAgain] = useState(0);
  const key = standingKey(snapshot);
  const status = useAsked<"getStatus">(
    (host, signal) => host.call("getStatus", { params: { sessionId }, signal }),
    `${sessionId} ${isHeard} ${key} ${again}`,
    key !== "",
  );
  useEffect(() => {
    if (status?.reason !== "stale_execution") return;
    const timer = setTimeout(() => setAgain((n) => n + 1), STALE_MS);
    return () => clearTimeout(timer);
  }, [status]);
  return status;
}
