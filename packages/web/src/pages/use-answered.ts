/** Notices when a question that was on this screen was answered on another, and says so for a while. */

import type { SessionSnapshot } from "@holdfast/client";
import { type ApprovalView, approvalView } from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";
import type { ChangeSent, Sent } from "./answering.ts";

/** Long enough to be read twice. */
const SHOWN_MS = 8000;

export interface Answering {
  readonly answered: ApprovalView | null;
  /** What this page answered: then nothing has to be said. */
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

/** It goes with the next happening, or when it was on a visible screen for long enough. */
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
