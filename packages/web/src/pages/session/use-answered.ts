/**
 * Detects that the question on this screen was answered on another device, and reports it for a
 * while.
 */

import type { SessionSnapshot } from "@holdfast/client";
import { type ApprovalView, approvalView } from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";
import type { ChangeSent, Sent } from "./answering.ts";

/** Time in ms to read the notice. */
const SHOWN_MS = 8000;

export interface Answering {
  readonly answered: ApprovalView | null;
  /** Answers given on this page, which need no notice. */
  readonly sent: Sent;
  readonly changeSent: ChangeSent;
  readonly onSeen: () => void;
}

const none: Sent = new Map();

export function useAnswered({ approvals, state }: SessionSnapshot): Answering {
  const [answered, setAnswered] = useState<ApprovalView | null>(null);
  const [sent, setSent] = useState(none);
  const asked = useRef<string | null>(null);
  const open = approvals[0]?.id ?? null;
  const all = state?.run?.approvals;
  useEffect(() => {
    const before = asked.current;
    asked.current = open;
    if (before === null || before === open || sent.has(before)) return;
    const found = all?.find(({ id }) => id === before);
    if (found !== undefined) setAnswered(approvalView(found, all));
  }, [open, all, sent]);
  useGone(answered, open !== null || state?.run?.outcome != null, () => setAnswered(null));
  return {
    answered,
    sent,
    changeSent: setSent,
    onSeen: () => setAnswered(null),
  };
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
