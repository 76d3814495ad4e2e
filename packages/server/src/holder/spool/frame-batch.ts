/**
 * Consecutive frames as bytes: built once, then written to the spool as one record and to the host
 * as lines. The record's header stands before them in the same memory, so that both writes need no
 * copy.
 *
 * A record is `length, count, first n (two words), crc` and then `count` JSON lines. The crc also
 * covers the other header words, so that one record cannot pass for another.
 */

import { crc32 } from "node:zlib";
import type { Frame } from "./frames.ts";

export const headerBytes = 20;
const CRC_AT = 16;
const WORD = 2 ** 32;
const NEWLINE = 0x0a;
const CLOSE = 0x7d;

export interface FrameBatch {
  readonly firstN: number;
  readonly lastN: number;
  readonly record: Buffer;
  readonly frames: Buffer;
  readonly memory: Buffer;
}

export interface RecordHeader {
  readonly firstN: number;
  readonly lastN: number;
  readonly bytes: number;
}

type Unnumbered<T> = T extends unknown ? Omit<T, "n"> : never;
export type NewFrame = Unnumbered<Frame>;

export class FrameBuilder {
  readonly #firstN: number;
  #bytes: Buffer;
  #end = headerBytes;
  #count = 0;

  /** `memory` is overwritten from its start, and replaced when it is too small. */
  constructor(firstN: number, memory: Buffer) {
    this.#firstN = firstN;
    this.#bytes = memory;
  }

  get nextN(): number {
    return this.#firstN + this.#count;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(frame: NewFrame): void {
    const line = JSON.stringify({ n: this.nextN, ...frame });
    this.#reserve(3 * line.length + 1);
    this.#end += this.#bytes.write(line, this.#end);
    this.#bytes[this.#end++] = NEWLINE;
    this.#count++;
  }

  /** Adds a frame whose `line` is the agent's own bytes, which must be valid JSON. */
  addLine(bytes: Buffer, from: number, to: number, responseTo?: string): void {
    const kind =
      responseTo === undefined ? '"line"' : `"response","key":${JSON.stringify(responseTo)}`;
    const head = `{"n":${this.nextN},"k":${kind},"line":`;
    this.#reserve(3 * head.length + to - from + 2);
    this.#end += this.#bytes.write(head, this.#end);
    this.#end += bytes.copy(this.#bytes, this.#end, from, to);
    this.#bytes[this.#end++] = CLOSE;
    this.#bytes[this.#end++] = NEWLINE;
    this.#count++;
  }

  build(): FrameBatch {
    const record = this.#bytes.subarray(0, this.#end);
    const frames = record.subarray(headerBytes);
    record.writeUInt32LE(frames.length, 0);
    record.writeUInt32LE(this.#count, 4);
    record.writeUInt32LE(this.#firstN % WORD, 8);
    record.writeUInt32LE(Math.floor(this.#firstN / WORD), 12);
    record.writeUInt32LE(recordCrc(record), CRC_AT);
    return { firstN: this.#firstN, lastN: this.nextN - 1, record, frames, memory: this.#bytes };
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(needed + Math.min(needed, 1024 * 1024));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/** The header at the start of `bytes`, or null when they are too short for one. */
export function readHeader(bytes: Buffer): RecordHeader | null {
  if (bytes.length < headerBytes) return null;
  const firstN = bytes.readUInt32LE(8) + WORD * bytes.readUInt32LE(12);
  const lastN = firstN + bytes.readUInt32LE(4) - 1;
  return { firstN, lastN, bytes: headerBytes + bytes.readUInt32LE(0) };
}

export function isWholeRecord(record: Buffer): boolean {
  return recordCrc(record) === record.readUInt32LE(CRC_AT);
}

/** The record's lines after frame `after`, without a copy. */
export function framesAfter(record: Buffer, { firstN }: RecordHeader, after: number): Buffer {
  let at = headerBytes;
  for (let n = firstN; n <= after; n++) at = record.indexOf(NEWLINE, at) + 1;
  return record.subarray(at);
}

function recordCrc(record: Buffer): number {
  return crc32(record.subarray(headerBytes), crc32(record.subarray(0, CRC_AT)));
}
