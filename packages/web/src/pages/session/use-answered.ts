/** Reports for a while that the question shown here was answered on another device. */

import type { OutboxItem, SessionSnapshot } from "@holdfast/client";
import { type ApprovalView, approvalView, isStop } from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";
import { givenTo } from "./decision-of.ts";

const SHOWN_MS = 8000;

interface Answering {
  readonly answered: AnsweredElsewhere | null;
  readonly onSeen: () => void;
  /** Remembers the reason that is being typed, for when somebody else answers first. */
  readonly keepReason: (reason: string) => void;
}

interface AnsweredElsewhere {
  readonly approval: ApprovalView;
  /** The reason that was being typed here; empty without one. */
  readonly unsent: string;
}

export function useAnswered(
  { approvals, state }: SessionSnapshot,
  outbox: readonly OutboxItem[],
): Answering {
  const [answered, setAnswered] = useState<AnsweredElsewhere | null>(null);
  const asked = useRef<string | null>(null);
  const typed = useRef("");
  const open = approvals[0]?.id ?? null;
  const all = state?.run?.approvals;
  // An answer stays in the outbox until its question is closed: this device's own needs no notice.
  const isMine = open !== null && givenTo(open, outbox) !== null;
  useEffect(() => {
    const before = asked.current;
    asked.current = isMine ? null : open;
    if (before === open) return;
    const unsent = typed.current;
    typed.current = "";
    const found = all?.find(({ id }) => id === before);
    if (found !== undefined) setAnswered({ approval: approvalView(found, all), unsent });
  }, [open, all, isMine]);
  const isStopped = isStop(answered?.approval.reason) && state?.run?.outcome != null;
  useGone(answered?.unsent === "" ? answered : null, open !== null || isStopped, () =>
    setAnswered(null),
  );
  const keepReason = (reason: string) => {
    typed.current = reason;
  };
  return { answered, onSeen: () => setAnswered(null), keepReason };
}

/** Clears the notice at the next question or a run's end, or when it was visible long enough. */
function useGone(answered: AnsweredElsewhere | null, isPast: boolean, onGone: () => void): void {
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
    if (isPast && !wasPast.current && answered !== null) gone.current();
    wasPast.current = isPast;
  }, [isPast, answered]);
}
