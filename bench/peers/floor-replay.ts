/** A plain file of the same lines, read in blocks of as many events as a journal slice holds. */

import { open as openFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Slice } from "../../packages/server/src/journal/journal.ts";
import { type Block, replayFiles } from "../seeds/replay-files.ts";
import type { ReplaySource } from "./subject.ts";

export async function open(dir: string): Promise<ReplaySource> {
  const file = await openFile(join(dir, replayFiles.lines));
  const blocks = JSON.parse(await readFile(join(dir, replayFiles.blocks), "utf8")) as Block[];
  async function* slices(): AsyncGenerator<Slice> {
    let firstSeq = 1;
    for (const { count, length } of blocks) {
      const bytes = Buffer.allocUnsafe(length);
      const { bytesRead } = await file.read(bytes, 0, length, null);
      if (bytesRead !== length) throw new Error("floor: the file ended early");
      yield { firstSeq, count, bytes };
      firstSeq += count;
    }
  }
  return { slices, close: () => file.close() };
}
