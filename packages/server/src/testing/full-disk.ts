import { type EventKind, HostError } from "@holdfast/protocol";
import type { Journal } from "../journal/journal.ts";

/**
 * A disk on which no batch with an event of this kind fits, until the returned function frees it.
 * `onRefused` hears of each one that did not.
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
