/**
 * The write-ahead log's own file format (sqlite.org/fileformat2.html#walformat), for the one thing
 * SQLite keeps quiet about: it takes a frame with a wrong checksum for the end of the log. That is
 * right for a torn tail. But a group's commit is synced before anything follows it, and only a
 * settlement may go unsynced before it: whatever lies behind a whole group behind a bad frame means
 * damage in the middle, and acknowledged events lost.
 */

import { existsSync, readFileSync } from "node:fs";
import { pageSize } from "./database.ts";
import { metaPage } from "./schema.ts";

const headerBytes = 32;
const frameHeaderBytes = 24;
const frameBytes = frameHeaderBytes + pageSize;

/** The magic number of logs whose checksums are little-endian; +1 is for big-endian. */
const magic = 0x377f0682;

interface Wal {
  readonly bytes: Buffer;
  readonly isLittleEndian: boolean;
}

/**
 * null when there is no log with anything in it. Call before SQLite has the file open in this
 * process: closing our descriptor would drop its locks.
 */
export function readWal(path: string): Wal | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  if (bytes.length < headerBytes + frameBytes) return null;
  return { bytes, isLittleEndian: bytes.readUInt32BE(0) !== magic + 1 };
}

export function isDamagedInTheMiddle(wal: Wal): boolean {
  if (!hasWholeHeader(wal)) return true;
  let sum = headerSum(wal);
  let isBehindBadFrame = false;
  let isSettlement = false;
  let hasWholeGroup = false;
  for (const frame of framesOf(wal)) {
    if (hasWholeGroup) return true;
    sum = frameSum(wal, frame, sum);
    isBehindBadFrame ||= !hasSalts(wal, frame) || !isSum(frame, 16, sum);
    isSettlement ||= frame.readUInt32BE(0) === metaPage;
    const isCommit = frame.readUInt32BE(4) !== 0;
    if (!isCommit) continue;
    hasWholeGroup = isBehindBadFrame && !isSettlement;
    isSettlement = false;
  }
  return false;
}

/** The same log with every salt and checksum made right, so that SQLite reads on behind a bad frame. */
export function withRightChecksums({ bytes, isLittleEndian }: Wal): Buffer {
  const wal = { bytes: Buffer.from(bytes), isLittleEndian };
  if (!hasWholeHeader(wal)) makeHeader(wal);
  let sum = headerSum(wal);
  for (const frame of framesOf(wal)) {
    wal.bytes.copy(frame, 8, 16, 24);
    sum = frameSum(wal, frame, sum);
    writeSum(frame, 16, sum);
  }
  return wal.bytes;
}

type Sum = readonly [number, number];

function hasWholeHeader(wal: Wal): boolean {
  return (wal.bytes.readUInt32BE(0) | 1) === (magic | 1) && isSum(wal.bytes, 24, headerSum(wal));
}

/** The first frame is always of the newest generation: its salts are the header's. */
function makeHeader(wal: Wal): void {
  const { bytes, isLittleEndian } = wal;
  bytes.writeUInt32BE(isLittleEndian ? magic : magic + 1, 0);
  bytes.writeUInt32BE(3_007_000, 4);
  bytes.writeUInt32BE(pageSize, 8);
  bytes.copy(bytes, 16, headerBytes + 8, headerBytes + 16);
  writeSum(bytes, 24, headerSum(wal));
}

/** Up to the last frame of this generation; older ones, left behind a restart, carry other salts. */
function* framesOf(wal: Wal): Iterable<Buffer> {
  const frames: Buffer[] = [];
  let end = 0;
  for (let start = headerBytes; start + frameBytes <= wal.bytes.length; start += frameBytes) {
    const frame = wal.bytes.subarray(start, start + frameBytes);
    frames.push(frame);
    if (hasSalts(wal, frame)) end = frames.length;
  }
  yield* frames.slice(0, end);
}

function hasSalts({ bytes }: Wal, frame: Buffer): boolean {
  return bytes.compare(frame, 8, 16, 16, 24) === 0;
}

function headerSum(wal: Wal): Sum {
  return checksum(wal, wal.bytes.subarray(0, 24), [0, 0]);
}

function frameSum(wal: Wal, frame: Buffer, before: Sum): Sum {
  return checksum(
    wal,
    frame.subarray(frameHeaderBytes),
    checksum(wal, frame.subarray(0, 8), before),
  );
}

function checksum({ isLittleEndian }: Wal, bytes: Buffer, [s0, s1]: Sum): Sum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let a = s0;
  let b = s1;
  for (let at = 0; at < words.byteLength; at += 8) {
    a = (a + words.getUint32(at, isLittleEndian) + b) >>> 0;
    b = (b + words.getUint32(at + 4, isLittleEndian) + a) >>> 0;
  }
  return [a, b];
}

function isSum(bytes: Buffer, at: number, [a, b]: Sum): boolean {
  return bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;
}

function writeSum(bytes: Buffer, at: number, [a, b]: Sum): void {
  bytes.writeUInt32BE(a, at);
  bytes.writeUInt32BE(b, at + 4);
}
