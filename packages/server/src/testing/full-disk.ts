import { type EventKind, HostError } from "@holdfast/protocol";
import type { Journal } from "../journal/journal.ts";

/**
 * Makes the journal refuse batches with an event of this kind as on a full disk, until the returned
 * function is called. Calls `onRefused` for each refused batch.
 */
export function fillDisk(
  journal: Journal,
  kind: EventKind,
  onRefused: () => void = () => undefined,
): () => void {
  const append = journal.append.bind(journal);
  let full = true;
  journal.append = (batch) => {
    if (!full || !batch.text.includes(`"kind":"${kind}"`)) return append(batch);
    onRefused();
    return Promise.reject(new HostError("journal_full", "The disk is full."));
  };
  return () => {
    full = false;
  };
}
