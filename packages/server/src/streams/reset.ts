/** What a follower below retention gets instead of the events that were folded away. */

import {
  emptyState,
  emptyTranscript,
  type Message,
  type SessionState,
  unpackFolded,
} from "@holdfast/protocol";
import type { Base } from "../journal/journal.ts";

export interface Reset {
  /** Events after this one follow. */
  readonly seq: number;
  readonly chain: number;
  readonly state: SessionState;
  readonly messages: readonly Message[];
}

export function resetOf({ seq, chain, state, transcript }: Base): Reset {
  const { messages } = unpackFolded(transcript, emptyTranscript);
  return { seq, chain, state: unpackFolded(state, emptyState), messages };
}
