/** The stores, as hooks. They only subscribe: what there is to do is done by the stores. */

import { useSyncExternalStore } from "react";
import type { Watchable } from "../cell.ts";
import type { Connection } from "../live/feed.ts";
import type { OutboxSnapshot } from "../outbox/outbox.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";
import { useHoldfast } from "./provider.ts";

/** The same on a server, where nothing is followed. */
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

/** Everything that waits or was refused, or only what belongs to one session. */
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
