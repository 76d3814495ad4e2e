/**
 * One session of 100,000 events, in the journal and as a plain file of the same bytes. The journal
 * gets one event per batch, many in flight, as streamed text does: larger batches would pack its
 * pages better than real writing.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job, Metrics } from "../cell.ts";
import { Lines } from "../events.ts";
import { createSession, openStore } from "../store.ts";
import { type Block, replayFiles } from "./replay-files.ts";

const EVENTS_PER_BLOCK = 1000;

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { events = 100_000 } = options;
  const journal = await openStore(join(dir, replayFiles.store));
  const { session, seq: created } = await createSession(journal);
  const lines = new Lines();
  const { epoch } = journal;
  let last: Promise<unknown> = Promise.resolve();
  for (let seq = created + 1; seq <= events; seq++) {
    const text = lines.at(seq);
    last = journal.append({ session, epoch, expectedSeq: seq - 1, count: 1, text });
    if (!journal.ready) await journal.whenReady();
  }
  await last;
  const blocks: Block[] = [];
  const texts: Uint8Array[] = [];
  for (let after = 0; after < events; ) {
    const slice = await journal.read(session, after, EVENTS_PER_BLOCK);
    if (slice === null) throw new Error(`the seed ends at ${after}`);
    blocks.push({ count: slice.count, length: slice.bytes.length });
    texts.push(slice.bytes);
    after += slice.count;
  }
  await journal.close();
  writeFileSync(join(dir, replayFiles.lines), Buffer.concat(texts));
  writeFileSync(join(dir, replayFiles.blocks), JSON.stringify(blocks));
  writeFileSync(join(dir, replayFiles.session), session);
  return { events };
}
