/** Marks events as seen while the page is visible; those of hidden times get a band. */

import type { SessionSnapshot, SessionStore } from "@holdfast/client";
import { useEffect } from "react";

const READ_MS = 4000;

export function useSeen({ seq, away }: SessionSnapshot, store: SessionStore): void {
  const isUnread = away !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `seq` changes with each new event.
  useEffect(() => {
    if (!isUnread && document.visibilityState === "visible") store.seen();
  }, [store, seq, isUnread]);
  useEffect(() => {
    if (!isUnread) return;
    const seen = () => document.visibilityState === "visible" && store.seen();
    const timer = setTimeout(seen, READ_MS);
    return () => clearTimeout(timer);
  }, [store, isUnread]);
  useEffect(() => {
    const turned = () => {
      if (document.visibilityState === "visible") store.look();
      // Events up to here were visible. A band that was not read long enough stays.
      if (store.getSnapshot().away === null) store.seen();
    };
    document.addEventListener("visibilitychange", turned);
    return () => document.removeEventListener("visibilitychange", turned);
  }, [store]);
}
