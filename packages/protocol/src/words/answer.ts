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
  return `${decisionWords[decision]} by ${authorWords(by)}${reason == null ? "" : `: ${reason}`}`;
}

/** The author of an answer. The host's own token, which the CLI uses, signs as "host". */
export function authorWords(by: string | null | undefined): string {
  return by === "host" ? "the host's owner" : (by ?? "someone else");
}

export function isStop(reason: string | null | undefined): boolean {
  return reason === STOP_REASON;
}
