/** Finds event lines inside bytes by their newline, without parsing them. */

import { maxSliceBytes, maxSliceEvents } from "./limits.ts";

const newline = 0x0a;

export function skipLines(bytes: Uint8Array, from: number, count: number): number {
  let at = from;
  for (let i = 0; i < count; i++) at = bytes.indexOf(newline, at) + 1;
  return at;
}

/**
 * The whole lines from `from` that fit: at most `limit` of the `available` ones and `room` bytes. A
 * line larger than a whole slice is returned alone, so that a reader always makes progress.
 */
export function takeLines(
  bytes: Uint8Array,
  from: number,
  available: number,
  limit: number,
  room = maxSliceBytes,
): { count: number; end: number } {
  const most = Math.min(available, limit, maxSliceEvents);
  let count = 0;
  let end = from;
  while (count < most) {
    const next = bytes.indexOf(newline, end) + 1;
    const isAlone = count === 0 && room === maxSliceBytes;
    if (next === 0 || (next - from > room && !isAlone)) break;
    end = next;
    count++;
  }
  return { count, end };
}

export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
