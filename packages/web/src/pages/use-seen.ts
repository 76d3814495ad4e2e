/** What is on a visible screen has been seen; what came while it was hidden is told on return. */

import type { SessionSnapshot, SessionStore } from "@holdfast/client";
import { useEffect } from "react";

/** Long enough to have read the band that says what happened. */
const READ_MS = 4000;

export function useSeen({ seq, away }: SessionSnapshot, store: SessionStore): void {
  const isUnread = away !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: seen again whenever there is more to see.
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
      // Up to here it was on the screen. A band that nobody had the time to read stays.
      if (store.getSnapshot().away === null) store.seen();
    };
    document.addEventListener("visibilitychange", turned);
    return () => document.removeEventListener("visibilitychange", turned);
  }, [store]);
}
