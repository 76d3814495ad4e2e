/**
 * Detects that the question on this screen was answered on another device, and reports it for a
 * while.
 */

import type { OutboxItem, SessionSnapshot } from "@holdfast/client";
import { type ApprovalView, approvalView } from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";
import { givenTo } from "./decision-of.ts";

/** Time in ms to read the notice. */
const SHOWN_MS = 8000;

interface Answering {
  readonly answered: ApprovalView | null;
  readonly onSeen: () => void;
}

export function useAnswered(
  { approvals, state }: SessionSnapshot,
  outbox: readonly OutboxItem[],
): Answering {
  const [answered, setAnswered] = useState<ApprovalView | null>(null);
  const asked = useRef<string | null>(null);
  const open = approvals[0]?.id ?? null;
  const all = state?.run?.approvals;
  // An answer stays in the outbox until its question is closed: this device's own needs no notice.
  const isMine = open !== null && givenTo(open, outbox) !== null;
  useEffect(() => {
    const before = asked.current;
    asked.current = isMine ? null : open;
    if (before === null || before === open) return;
    const found = all?.find(({ id }) => id === before);
    if (found !== undefined) setAnswered(approvalView(found, all));
  }, [open, all, isMine]);
  useGone(answered, open !== null || state?.run?.outcome != null, () => setAnswered(null));
  return { answered, onSeen: () => setAnswered(null) };
}

/** Clears the notice at the next question or outcome, or after it was visible long enough. */
function useGone(answered: ApprovalView | null, isPast: boolean, onGone: () => void): void {
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => {
    if (answered === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      timer = setTimeout(() => gone.current(), SHOWN_MS);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [answered]);
  const wasPast = useRef(isPast);
  useEffect(() => {
    if (isPast && !wasPast.current) gone.current();
    wasPast.current = isPast;
  }, [isPast]);
}
