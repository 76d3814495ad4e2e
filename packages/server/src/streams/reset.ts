/** The snapshot that a follower below retention gets in place of trimmed events. */

import {
  emptyState,
  emptyTranscript,
  type Message,
  type Receipt,
  type SessionState,
  unpackFolded,
} from "@holdfast/protocol";
import type { Base } from "../journal/journal.ts";

export interface Reset {
  /** Events after this seq follow. */
  readonly seq: number;
  readonly chain: number;
  readonly state: SessionState;
  readonly messages: readonly Message[];
  readonly receipts: readonly Receipt[];
}

export function resetOf({ seq, chain, state, transcript }: Base): Reset {
  const { messages, receipts } = unpackFolded(transcript, emptyTranscript);
  return { seq, chain, state: unpackFolded(state, emptyState), messages, receipts };
}
