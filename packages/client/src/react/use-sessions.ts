import { useMemo } from "react";
import type { SessionQuery, SessionsSnapshot, SessionsStore } from "../sessions-store.ts";
import { useWatched } from "./hooks.ts";
import { useHoldfast } from "./provider.ts";

export interface UsedSessions extends SessionsSnapshot {
  readonly more: SessionsStore["more"];
}

export function useSessions({ q, status }: SessionQuery = {}): UsedSessions {
  const holdfast = useHoldfast();
  const store = useMemo(() => holdfast.sessions({ q, status }), [holdfast, q, status]);
  return { ...useWatched(store), more: () => store.more() };
}
