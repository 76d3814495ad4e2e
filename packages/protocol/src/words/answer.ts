/** The answer to a question in words, with its author and reason. */

import { type ApprovalDecision, STOP_REASON } from "../vocabulary.ts";
import { decisionWords } from "./story.ts";

export interface Answered {
  readonly decision: ApprovalDecision;
  readonly by: string;
  readonly reason?: string | null | undefined;
}

/** "denied by Ada: too risky". A stop closes the question: nobody answered it. */
export function answerWords({ decision, by, reason }: Answered): string {
  if (isStop(reason)) return "question closed because the run was stopped";
  return `${decisionWords[decision]} by ${by}${reason == null ? "" : `: ${reason}`}`;
}

export function isStop(reason: string | null | undefined): boolean {
  return reason === STOP_REASON;
}
