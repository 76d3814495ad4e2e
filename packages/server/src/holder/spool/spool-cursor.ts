/** Reads a running holder's spool a block at a time, for a host that is behind. */

import { closeSync, openSync, readSync } from "node:fs";
import { framesAfter, type RecordHeader, readHeader } from "./frame-batch.ts";
import type { Segment, Spool, SpoolPosition } from "./spool.ts";

const BLOCK = 256 * 1024;

export class SpoolCursor {
  readonly #spool: Spool;
  #place: SpoolPosition;
  #after: number;
  #open: { readonly segment: Segment; readonly fd: number } | null = null;

  /** `place` is that of frame `after + 1`, or an earlier one. */
  constructor(spool: Spool, place: SpoolPosition, after: number) {
    this.#spool = spool;
    this.#place = place;
    this.#after = after;
  }

  get after(): number {
    return this.#after;
  }

  read(): Buffer[] | null {
    while (this.#after < this.#spool.last) {
      const { segment, offset } = this.#place;
      const block = this.#readBlock(segment, offset);
      if (block === null) {
        const next = this.#spool.next(segment);
        if (next === null) return null;
        this.#place = next;
        continue;
      }
      const frames = this.#take(block);
      if (frames.length > 0) return frames;
    }
    return null;
  }

  close(): void {
    if (this.#open !== null) closeSync(this.#open.fd);
    this.#open = null;
  }

  /** The lines of the whole records at the start of the block. */
  #take(block: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let at = 0;
    for (;;) {
      const rest = block.subarray(at);
      const header = readHeader(rest);
      if (header === null || header.bytes > rest.length) break;
      if (header.lastN > this.#after) {
        frames.push(framesAfter(rest.subarray(0, header.bytes), header, this.#after));
        this.#after = header.lastN;
      }
      at += header.bytes;
    }
    this.#place = { segment: this.#place.segment, offset: this.#place.offset + at };
    return frames;
  }

  /** At least one whole record, or null at the segment's end. */
  #readBlock(segment: Segment, offset: number): Buffer | null {
    if (offset >= segment.bytes) return null;
    const block = this.#readAt(segment, offset, BLOCK);
    const { bytes } = readHeader(block) as RecordHeader;
    return bytes <= block.length ? block : this.#readAt(segment, offset, bytes);
  }

  #readAt(segment: Segment, offset: number, bytes: number): Buffer {
    const fd = this.#fdOf(segment);
    const block = Buffer.allocUnsafe(Math.min(bytes, segment.bytes - offset));
    let done = 0;
    while (done < block.length) {
      const read = readSync(fd, block, done, block.length - done, offset + done);
      if (read === 0) throw new Error(`${segment.path} is shorter than what was written to it.`);
      done += read;
    }
    return block;
  }

  /** An open segment stays readable after its last acknowledgement deletes it. */
  #fdOf(segment: Segment): number {
    if (this.#open?.segment !== segment) {
      this.close();
      this.#open = { segment, fd: openSync(segment.path, "r") };
    }
    return (this.#open as { fd: number }).fd;
  }
}
