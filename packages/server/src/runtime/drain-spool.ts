/** Journals the frames that a dead holder left in its spool. */

import { readSpool } from "../holder/host-side/read-spool.ts";
import { Ingest, type IngestOptions } from "./ingest.ts";

/** Throws `SpoolGap` when frames between the journal's and the spool's are missing. */
export async function drainSpool(
  dir: string,
  options: Omit<IngestOptions, "stopped">,
): Promise<void> {
  // A full disk is an error here, because the caller retries.
  const ingest = new Ingest({ ...options, stopped: AbortSignal.abort() }, unheard);
  for (const frames of readSpool(dir, options.cursor)) await ingest.take(frames);
  await ingest.flush();
}

/** A dead holder needs no replies. */
const unheard = {
  durable: () => undefined,
  answer: () => undefined,
  prompted: () => undefined,
  refuse: () => undefined,
  frozen: () => undefined,
  exited: () => undefined,
  broken: () => undefined,
};
