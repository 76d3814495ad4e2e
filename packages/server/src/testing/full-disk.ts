import { closeSync, openSync, writeSync } from "node:fs";
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

/** Fills a real disk to the last byte, first in large pieces, then in small ones. */
export function fillToLastByte(path: string): void {
  const file = openSync(path, "a");
  for (const size of [2 ** 20, 4096, 512]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size, "full"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(file);
}
