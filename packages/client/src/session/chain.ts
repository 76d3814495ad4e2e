/**
 * The journal's checksum: CRC-32 over the lines of its events, each with its newline. Serialising a
 * parsed event gives its original line, because the host wrote it the same way.
 */

import type { Event } from "@holdfast/protocol";

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const encoder = new TextEncoder();

export function chainAfter(chain: number, event: Event): number {
  let crc = ~chain;
  for (const byte of encoder.encode(`${JSON.stringify(event)}\n`)) {
    crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] as number);
  }
  return ~crc >>> 0;
}
