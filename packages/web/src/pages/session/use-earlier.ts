import type { SessionSnapshot, SessionStore } from "@holdfast/client";
import { useEffect } from "react";

/** The host's limit for one request: a jump may lead to the first message. */
const ALL = 10_000;

export function useEarlierFor(
  jump: { readonly seq: number } | null,
  { messages, earlier }: SessionSnapshot,
  store: SessionStore,
): void {
  const isBefore = jump !== null && earlier > 0 && (messages[0]?.seq ?? 0) > jump.seq;
  useEffect(() => {
    if (!isBefore) return;
    // When the host is unreachable, the jump waits, and the row of earlier messages stays.
    store.earlier(ALL).catch(() => undefined);
  }, [isBefore, store]);
}
