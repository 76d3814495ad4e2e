import type { Connection } from "@holdfast/client";
import { useConnection as useEachState } from "@holdfast/client/react";
import { useRef } from "react";

/**
 * The connection as a person sees it: an attempt after a loss is still that loss, or the page would
 * flicker with every retry.
 */
export function useConnection(): Connection {
  const connection = useEachState();
  const away = useRef<Connection | null>(null);
  if (connection.state !== "connecting") {
    away.current = connection.state === "away" ? connection : null;
  }
  return away.current ?? connection;
}
