/** Reads a dead holder's spool up to the first torn, damaged or misplaced record. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn, spoolName } from "../directory/files.ts";
import { framesAfter, isWholeRecord, readHeader } from "../spool/frame-batch.ts";
import type { Frame } from "../spool/frames.ts";
import { parseLines } from "../spool/lines.ts";
import { segmentName } from "../spool/spool.ts";

/** The first frames after `after` are missing: they were acknowledged, but this reader never got them. */
export class SpoolGap extends Error {
  override readonly name = "SpoolGap";
}

/** `dir` is the holder's directory. Each batch is one record, so that memory stays bounded. */
export function* readSpool(dir: string, after: number): Generator<readonly Frame[], void, void> {
  const spool = join(dir, spoolName);
  let next: number | null = null;
  for (const { name, firstN } of segmentsOf(spool)) {
    if (next === null && firstN > after + 1) {
      throw new SpoolGap(`${spool} begins with frame ${firstN}, but only ${after} are known.`);
    }
    if (next !== null && firstN !== next) return;
    next = firstN;
    const bytes = readFileSync(join(spool, name));
    for (let at = 0; at < bytes.length; ) {
      const rest = bytes.subarray(at);
      const header = readHeader(rest);
      if (header === null || header.bytes > rest.length || header.firstN !== next) return;
      const record = rest.subarray(0, header.bytes);
      if (!isWholeRecord(record)) return;
      if (header.lastN > after) yield framesIn(framesAfter(record, header, after));
      next = header.lastN + 1;
      at += header.bytes;
    }
  }
}

function segmentsOf(dir: string): { name: string; firstN: number }[] {
  const names = namesIn(dir).filter((name) => segmentName(Number(name)) === name);
  return names.sort().map((name) => ({ name, firstN: Number(name) }));
}

function framesIn(lines: Buffer): Frame[] {
  return parseLines(lines, 0, lines.length - 1) as Frame[];
}
