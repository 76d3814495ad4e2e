import { type EventKind, HostError } from "@holdfast/protocol";
import type { Journal } from "../journal/journal.ts";

/** A disk on which no batch with an event of this kind fits, until the returned function frees it. */
export function fillDisk(journal: Journal, kind: EventKind): () => void {
  const append = journal.append.bind(journal);
  let full = true;
  journal.append = (batch) =>
    full && batch.text.includes(`"kind":"${kind}"`)
      ? Promise.reject(new HostError("journal_full", "The disk is full."))
      : append(batch);
  return () => {
    full = false;
  };
}
