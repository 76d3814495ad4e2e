/**
 * The answers given on this page, until the host's event confirms them. An answer counts once it is
 * in the outbox; a withdrawn answer reopens its question.
 */

import type { UsedOutbox, UsedRun } from "@holdfast/client/react";
import type { ApprovalDecision } from "@holdfast/protocol";

export interface Mine {
  readonly decision: ApprovalDecision;
  readonly option: string | null;
  /** The answer's number in the outbox. */
  readonly n: number;
}

/** Answers by approval id. */
export type Sent = ReadonlyMap<string, Mine>;

export interface Answer {
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly reason: string | undefined;
  /** The id of the chosen option of the agent. */
  readonly option: string | undefined;
}

export type ChangeSent = (change: (sent: Sent) => Sent) => void;

export async function give(
  { submitApproval }: Pick<UsedRun, "submitApproval">,
  { approvalId, decision, reason, option }: Answer,
  changeSent: ChangeSent,
): Promise<void> {
  const item = await submitApproval(decision, reason, approvalId, option);
  // Null: the question is no longer open.
  if (item === null) return;
  changeSent((sent) =>
    new Map(sent).set(approvalId, { decision, option: option ?? null, n: item.n }),
  );
}

export async function letGo(
  { dismiss }: Pick<UsedOutbox, "dismiss">,
  n: number,
  changeSent: ChangeSent,
): Promise<void> {
  // An answer that is being sent may have arrived, so it cannot be withdrawn.
  if (!(await dismiss(n))) return;
  changeSent((sent) => new Map([...sent].filter(([, mine]) => mine.n !== n)));
}
