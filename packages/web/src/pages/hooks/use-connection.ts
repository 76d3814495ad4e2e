import type { Connection } from "@holdfast/client";
import { useConnection as useEachState } from "@holdfast/client/react";
import { useRef } from "react";

/** Stays `away` during reconnect attempts, so that the page does not flicker. */
export function useConnection(): Connection {
  const connection = useEachState();
  const away = useRef<Connection | null>(null);
  if (connection.state !== "connecting") {
    away.current = connection.state === "away" ? connection : null;
  }
  return away.current ?? connection;
}
