/** A person's actions, kept until the host has accepted or refused them. */

import type { ApprovalDecision, FieldProblem } from "@holdfast/protocol";

/** Each action names what the person saw: a session, a run, or a question by its digest. */
export type Action =
  | {
      readonly type: "message";
      readonly content: string;
      readonly model?: string;
      readonly whenBusy?: "queue" | "interrupt";
    }
  | {
      readonly type: "approval";
      readonly runId: string;
      readonly approvalId: string;
      readonly decision: ApprovalDecision;
      /** The digest of the shown input: the host refuses an answer to any other. */
      readonly digest: string;
      readonly reason?: string;
      /** The id of the chosen option, when the agent offered its own. */
      readonly option?: string;
    }
  | { readonly type: "cancel"; readonly runId: string };

export interface NewItem {
  /** Created once: the host counts all deliveries under it as one. */
  readonly id: string;
  readonly session: string;
  readonly action: Action;
  /** The host's refusal, kept until it is dismissed. */
  readonly refusal: Refusal | null;
  /** True once it was sent: from then on it may have been executed. */
  readonly mayHaveArrived?: boolean;
}

export interface StoredItem extends NewItem {
  /** The order of delivery. */
  readonly n: number;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: FieldProblem;
}

export type Change = Partial<Pick<StoredItem, "refusal" | "mayHaveArrived">>;

/** `add`, `change` and `remove` resolve only when their change is stored. */
export interface OutboxStorage {
  /** False when the items are lost with the page. */
  readonly isLasting: boolean;
  all(): Promise<StoredItem[]>;
  add(item: NewItem): Promise<StoredItem>;
  /** Undefined when the item no longer exists: a removed item stays removed. */
  change(n: number, change: Change): Promise<StoredItem | undefined>;
  remove(n: number): Promise<void>;
}
