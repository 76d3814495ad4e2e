/** What a person did, kept until the host has it or has said no. */

import type { ApprovalDecision } from "@holdfast/protocol";

/** Each is bound to what its person saw: a session, a run, or a question by its digest. */
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
      /** Of the very input that was shown: the host refuses the answer for any other. */
      readonly digest: string;
      readonly reason?: string;
      /** The agent's own option that was chosen, by its id. */
      readonly option?: string;
    }
  | { readonly type: "cancel"; readonly runId: string };

export interface NewItem {
  /** Made once: under it the host counts every delivery as one. */
  readonly id: string;
  readonly session: string;
  readonly action: Action;
  /** The host's reason, when it said no: kept until it is dismissed. */
  readonly refusal: Refusal | null;
  /** It was sent at least once: from then on nobody here knows that it was not done. */
  readonly mayHaveArrived?: boolean;
}

export interface StoredItem extends NewItem {
  /** Its place: what was done first goes first. */
  readonly n: number;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export type Change = Partial<Pick<StoredItem, "refusal" | "mayHaveArrived">>;

/** `add` and the others resolve only when what they did is kept. */
export interface OutboxStorage {
  /** False when it is forgotten with the page. */
  readonly isLasting: boolean;
  /** In order. */
  all(): Promise<StoredItem[]>;
  add(item: NewItem): Promise<StoredItem>;
  /** Undefined when it is there no more: what was let go does not come back. */
  change(n: number, change: Change): Promise<StoredItem | undefined>;
  remove(n: number): Promise<void>;
}
