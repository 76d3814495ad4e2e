/**
 * Server-Sent Events. A journal line is `id: <seq>`, `data: <line>`, an empty line, without a name,
 * so that `onmessage` gets it. All other frames have a name: `heartbeat`, `reset`, `token`,
 * `error`, `end`.
 *
 * Lines are not parsed. Seqs are dense, so ids are counted. A line is JSON, in which CR and LF are
 * always escaped, so its only newline is the one at its end and `data:` never needs splitting.
 * (U+2028 may stand raw, but SSE treats it as a letter.)
 */

import type { Slice } from "../../journal/journal.ts";

const NEWLINE = 0x0a;
const ZERO = 0x30;
const beforeId = Buffer.from("id: ");
const beforeLine = Buffer.from("\ndata: ");

export const sseHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
} as const;

/** `id` is the seq that a client continues after when it reconnects after this frame. */
export function sseFrame(event: string, data: object, id?: number): Uint8Array {
  const head = id === undefined ? "" : `id: ${id}\n`;
  return Buffer.from(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

export function sseFrames({ firstSeq, count, bytes }: Slice): Uint8Array {
  const framing = count * (beforeId.length + beforeLine.length + 1);
  const out = Buffer.allocUnsafe(bytes.length + framing + digitsOf(firstSeq, count));
  let at = 0;
  let from = 0;
  for (let seq = firstSeq; seq < firstSeq + count; seq++) {
    at = write(out, at, beforeId);
    at = writeNumber(out, at, seq);
    at = write(out, at, beforeLine);
    const to = bytes.indexOf(NEWLINE, from) + 1;
    if (to === 0) throw new Error(`Event ${seq} of a slice of ${count} has no line.`);
    out.set(bytes.subarray(from, to), at);
    at += to - from;
    out[at++] = NEWLINE;
    from = to;
  }
  if (from !== bytes.length) throw new Error(`A slice of ${count} events holds more lines.`);
  return out;
}

/** A loop is faster than `set` and `write` for a few bytes. */
function write(out: Uint8Array, at: number, text: Uint8Array): number {
  for (let i = 0; i < text.length; i++) out[at + i] = text[i] as number;
  return at + text.length;
}

function writeNumber(out: Uint8Array, at: number, value: number): number {
  const end = at + digits(value);
  let rest = value;
  for (let i = end - 1; i >= at; i--) {
    const next = Math.floor(rest / 10);
    out[i] = ZERO + (rest - next * 10);
    rest = next;
  }
  return end;
}

function digits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}

/** The number of digits of all ids firstSeq … firstSeq + count - 1 together. */
function digitsOf(firstSeq: number, count: number): number {
  const end = firstSeq + count;
  let sum = 0;
  for (let seq = firstSeq; seq < end; ) {
    const length = digits(seq);
    const next = Math.min(end, 10 ** length);
    sum += (next - seq) * length;
    seq = next;
  }
  return sum;
}
