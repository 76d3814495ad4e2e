/** React hooks for the stores. They only subscribe; the stores do the work. */

import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Watchable } from "../cell.ts";
import type { Connection } from "../live/feed.ts";
import { isConfirmed } from "../outbox/confirmed.ts";
import type { OutboxItem, OutboxSnapshot } from "../outbox/outbox.ts";
import type { ResumeState } from "../session/resume-attempt.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";
import type { SessionQuery, SessionsSnapshot, SessionsStore } from "../sessions-store.ts";
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

/** The items of a session that its snapshot does not show yet: each is drawn once. */
export function useOutbox(session: string): UsedOutbox {
  const { outbox } = useHoldfast();
  const { state } = useSession(session);
  const snapshot = useWatched(outbox);
  const isOpen = (item: OutboxItem) => state === null || !isConfirmed(item, state);
  const items = snapshot.items.filter((item) => item.session === session && isOpen(item));
  return {
    ...snapshot,
    items,
    add: (to, action) => outbox.add(to, action),
    dismiss: (n) => outbox.dismiss(n),
    retry: (n) => outbox.retry(n),
  };
}

export interface UsedSessions extends SessionsSnapshot {
  readonly more: SessionsStore["more"];
}

export function useSessions({ q, status }: SessionQuery = {}): UsedSessions {
  const holdfast = useHoldfast();
  const store = useMemo(() => holdfast.sessions({ q, status }), [holdfast, q, status]);
  return { ...useWatched(store), more: () => store.more() };
}

/** Checks the session's status when its page opens, and revives its agent if needed. */
export function useResume(session: string): ResumeState {
  const holdfast = useHoldfast();
  const attempt = useMemo(() => holdfast.resumeAttempt(session), [holdfast, session]);
  useEffect(() => {
    attempt.start();
    return () => attempt.leave();
  }, [attempt]);
  return useWatched(attempt);
}
