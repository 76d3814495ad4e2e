/**
 * The frames that no host has journalled yet, on disk, so that they outlive the holder. Segments
 * are files named by their first frame, append-only, and deleted whole once acknowledged. They are
 * not synced: frames that a power cut takes from here were not seen by any host.
 */

import { closeSync, ftruncateSync, mkdirSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FrameBatch } from "./frame-batch.ts";

/** Small enough that acknowledged segments free space soon, large enough that files are few. */
export const segmentBytes = 4 * 1024 * 1024;

export interface Segment {
  readonly path: string;
  readonly firstN: number;
  lastN: number;
  bytes: number;
}

export interface SpoolPosition {
  readonly segment: Segment;
  readonly offset: number;
}

export class Spool {
  readonly #dir: string;
  readonly #segmentBytes: number;
  readonly #segments: Segment[] = [];
  #fd: number | null = null;
  #acked = 0;
  #last = 0;

  constructor(dir: string, limit = segmentBytes) {
    this.#dir = dir;
    this.#segmentBytes = limit;
    mkdirSync(dir, { mode: 0o700 });
  }

  get last(): number {
    return this.#last;
  }

  get acked(): number {
    return this.#acked;
  }

  /** Bytes on disk: all unacknowledged frames, and at most one segment more. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Throws when the write fails, after removing the partial record. */
  append({ record, firstN, lastN }: FrameBatch): SpoolPosition {
    const segment = this.#segmentFor(record.length, firstN);
    const fd = this.#fd as number;
    const offset = segment.bytes;
    try {
      writeWhole(fd, record, offset);
    } catch (error) {
      ftruncateSync(fd, offset);
      throw error;
    }
    segment.bytes += record.length;
    segment.lastN = lastN;
    this.#last = lastN;
    return { segment, offset };
  }

  acknowledge(n: number): void {
    this.#acked = Math.max(this.#acked, Math.min(n, this.#last));
    while (this.#segments.length > 1 && this.#isAcked(this.#segments[0])) this.#deleteFirst();
    // The current segment is deleted too when it is large enough to justify a new file.
    const current = this.#segments[0];
    if (current !== undefined && current.bytes * 4 > this.#segmentBytes && this.#isAcked(current)) {
      this.#closeCurrent();
      this.#deleteFirst();
    }
  }

  /** True when all frames after `n` are still there. */
  hasAllAfter(n: number): boolean {
    return (this.#segments[0]?.firstN ?? this.#last + 1) <= n + 1;
  }

  /** The position of frame `after + 1`, or an earlier one; null when that frame does not exist yet. */
  placeAfter(after: number): SpoolPosition | null {
    const segment = this.#segments.find(({ lastN }) => lastN > after);
    return segment === undefined ? null : { segment, offset: 0 };
  }

  next(segment: Segment): SpoolPosition | null {
    const next = this.#segments[this.#segments.indexOf(segment) + 1];
    return next === undefined ? null : { segment: next, offset: 0 };
  }

  #segmentFor(bytes: number, firstN: number): Segment {
    const current = this.#segments.at(-1);
    if (this.#fd !== null && current !== undefined) {
      if (current.bytes === 0 || current.bytes + bytes <= this.#segmentBytes) return current;
      this.#closeCurrent();
    }
    const path = join(this.#dir, segmentName(firstN));
    this.#fd = openSync(path, "wx", 0o600);
    const segment = { path, firstN, lastN: firstN - 1, bytes: 0 };
    this.#segments.push(segment);
    return segment;
  }

  #isAcked(segment: Segment | undefined): boolean {
    return segment !== undefined && segment.lastN <= this.#acked;
  }

  #deleteFirst(): void {
    const segment = this.#segments.shift();
    if (segment !== undefined) unlinkSync(segment.path);
  }

  #closeCurrent(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}

/** Writes at a fixed offset, because the previous write may have failed halfway. */
function writeWhole(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, at + done);
  }
}

/** The names sort in the order of their frames. */
export function segmentName(firstN: number): string {
  return String(firstN).padStart(16, "0");
}
