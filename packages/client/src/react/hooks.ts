/** React hooks for the stores. They only subscribe; the stores do the work. */

import { useSyncExternalStore } from "react";
import type { Watchable } from "../cell.ts";
import type { Connection } from "../live/feed.ts";
import type { OutboxSnapshot } from "../outbox/outbox.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";
import { useHoldfast } from "./provider.ts";

/** Also works on a server, where no store is followed. */
export function useWatched<T>({ subscribe, getSnapshot }: Watchable<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

export function useConnection(): Connection {
  return useWatched(useHoldfast().feed.connection);
}

export interface UsedSession extends SessionSnapshot {
  readonly store: SessionStore;
}

export function useSession(session: string): UsedSession {
  const store = useHoldfast().session(session);
  return { ...useWatched(store.screen), store };
}

export type UsedOutbox = OutboxSnapshot &
  Pick<ReturnType<typeof useHoldfast>["outbox"], "add" | "dismiss" | "retry">;

/** All waiting and refused items, or those of one session. */
export function useOutbox(session?: string): UsedOutbox {
  const { outbox } = useHoldfast();
  const snapshot = useWatched(outbox);
  const items =
    session === undefined
      ? snapshot.items
      : snapshot.items.filter((item) => item.session === session);
  return {
    ...snapshot,
    items,
    add: (to, action) => outbox.add(to, action),
    dismiss: (n) => outbox.dismiss(n),
    retry: (n) => outbox.retry(n),
  };
}
