/**
 * The answers of this page, for as long as the host's own word of them is on its way. Only what is
 * kept in the outbox counts as given, and what is let go was never given: its question is open again.
 */

import type { UsedOutbox, UsedRun } from "@holdfast/client/react";
import type { ApprovalDecision } from "@holdfast/protocol";

export interface Mine {
  readonly decision: ApprovalDecision;
  readonly option: string | null;
  /** Its place in the outbox, while it is there. */
  readonly n: number;
}

/** By the question. */
export type Sent = ReadonlyMap<string, Mine>;

export interface Answer {
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly reason: string | undefined;
  /** One of the agent's own, by its id. */
  readonly option: string | undefined;
}

export type ChangeSent = (change: (sent: Sent) => Sent) => void;

export async function give(
  { submitApproval }: Pick<UsedRun, "submitApproval">,
  { approvalId, decision, reason, option }: Answer,
  changeSent: ChangeSent,
): Promise<void> {
  const item = await submitApproval(decision, reason, approvalId, option);
  // Null: it is asked no more.
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
  // One that is just being sent may be there already.
  if (!(await dismiss(n))) return;
  changeSent((sent) => new Map([...sent].filter(([, mine]) => mine.n !== n)));
}
