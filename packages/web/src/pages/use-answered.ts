/** Notices when a question that was on this screen was answered on another. */

import type { SessionSnapshot } from "@holdfast/client";
import { type ApprovalView, approvalView } from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";

export interface Answering {
  readonly answered: ApprovalView | null;
  /** This device answers: then nothing has to be said. */
  readonly onMine: (approvalId: string) => void;
  readonly onSeen: () => void;
}

export function useAnswered({ approvals, state }: SessionSnapshot): Answering {
  const [answered, setAnswered] = useState<ApprovalView | null>(null);
  const asked = useRef<string | null>(null);
  const mine = useRef(new Set<string>());
  const open = approvals[0]?.id ?? null;
  const all = state?.run?.approvals;
  useEffect(() => {
    const before = asked.current;
    asked.current = open;
    if (before === null || before === open || mine.current.has(before)) return;
    const found = all?.find(({ id }) => id === before);
    if (found !== undefined) setAnswered(approvalView(found));
  }, [open, all]);
  return {
    answered,
    onMine: (id) => mine.current.add(id),
    onSeen: () => setAnswered(null),
  };
}
