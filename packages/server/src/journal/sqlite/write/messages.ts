/** The messages between main thread and writer, besides calls: one per group, each way. */

import type { SessionId } from "@holdfast/protocol";
import type { CursorMove, Head, OnceFact } from "../../journal.ts";
import type { StoreRefusal } from "../../store-refusal.ts";

/** Field offsets of one batch in `GroupMessage.index`. */
export const batchField = {
  /** The session's row, or 0 when the main thread does not know it; then `Extra.session` names it. */
  row: 0,
  expectedSeq: 1,
  count: 2,
  bytes: 3,
  /** 1-based index into `GroupMessage.extras`; 0 when the batch has no extra. */
  extra: 4,
  essential: 5,
} as const;
export const batchFields = 6;

/** The optional parts of a batch; most batches have none of them. */
export interface Extra {
  readonly session?: SessionId;
  readonly head?: Head;
  readonly once?: readonly OnceFact[];
  readonly cursor?: CursorMove;
}

export interface GroupMessage {
  readonly index: Uint32Array<ArrayBuffer>;
  readonly body: Uint8Array;
  readonly extras: readonly Extra[];
}

/** Field offsets of one batch in `AckMessage.results`; a refused batch has row 0. */
export const resultField = { row: 0, chain: 1 } as const;
export const resultFields = 2;

export interface AckMessage {
  readonly results: Uint32Array<ArrayBuffer>;
  readonly refusals: readonly (readonly [batch: number, refusal: StoreRefusal])[];
}

/** Pairs of row and settled seq: events up to that seq can now be read from `pages`. */
export interface SettledMessage {
  readonly settled: Uint32Array<ArrayBuffer>;
}
