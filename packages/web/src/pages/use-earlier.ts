import type { SessionSnapshot, SessionStore } from "@holdfast/client";
import { useEffect } from "react";

/** As many as a host gives at once: a jump may lead to the first message. */
const ALL = 10_000;

/** Loads the messages that a jump leads to, where they are not here yet. */
export function useEarlierFor(
  jump: { readonly seq: number } | null,
  { messages, earlier }: SessionSnapshot,
  store: SessionStore,
): void {
  const isBefore = jump !== null && earlier > 0 && (messages[0]?.seq ?? 0) > jump.seq;
  useEffect(() => {
    if (!isBefore) return;
    // Out of reach: the jump stays undone, and the row of earlier messages offers them.
    store.earlier(ALL).catch(() => undefined);
  }, [isBefore, store]);
}
