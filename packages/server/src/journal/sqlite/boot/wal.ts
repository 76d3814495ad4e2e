/**
 * Parses the write-ahead log's file format (sqlite.org/fileformat2.html#walformat) to find damage
 * that SQLite does not report: SQLite treats a frame with a wrong checksum as the end of the log.
 * That is right for a torn tail. But a group's commit is synced before the next one is written, and
 * only a settlement may be unsynced: a whole group after a bad frame therefore means damage in the
 * middle, and lost acknowledged events.
 */

import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { pageSize } from "../file/database.ts";
import { metaPage } from "../file/schema.ts";

const headerBytes = 32;
const frameHeaderBytes = 24;
const frameBytes = frameHeaderBytes + pageSize;

/** A log can be 100 MB long; boot holds only this many frames of it in memory. */
const framesPerRead = 64;

/** The magic number of logs whose checksums are little-endian; +1 is for big-endian. */
const magic = 0x377f0682;

interface Wal {
  readonly header: Buffer;
  readonly isLittleEndian: boolean;
}

/** Call before SQLite opens the file: closing our descriptor would drop SQLite's locks. */
export function isDamagedInTheMiddle(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, "r");
  try {
    if (fstatSync(file).size < headerBytes + frameBytes) return false;
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    return isDamaged(walOf(header), readFrames(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Frames of older generations stay at the end after a restart of the log and are ignored. A group's
 * frames stand in page order (database.ts turns spilling off). So a page number that is not above
 * the previous one belongs to a misplaced frame, or to the next group, even when the commit frame
 * between them is lost.
 */
function isDamaged(wal: Wal, frames: Iterable<Buffer>): boolean {
  if (!hasWholeHeader(wal)) return true;
  let sum = headerSum(wal);
  let isBehindBadFrame = false;
  let isSettlement = false;
  let hasWholeGroup = false;
  let pageBefore = 0;
  for (const frame of frames) {
    const page = frame.readUInt32BE(0);
    const isOfThisGeneration = hasSalts(wal, frame);
    const isOutOfOrder = isOfThisGeneration && page <= pageBefore;
    if (isOutOfOrder && isBehindBadFrame) {
      hasWholeGroup ||= !isSettlement;
      isSettlement = false;
    }
    if (hasWholeGroup && isOfThisGeneration) return true;
    if (!isBehindBadFrame) {
      sum = frameSum(wal, frame, sum);
      isBehindBadFrame = !isOfThisGeneration || !isSum(frame, 16, sum);
      if (isBehindBadFrame && isOutOfOrder) return true;
    }
    isSettlement ||= page === metaPage;
    if (isOfThisGeneration) pageBefore = page;
    const isCommit = frame.readUInt32BE(4) !== 0;
    if (!isCommit) continue;
    hasWholeGroup ||= isBehindBadFrame && !isSettlement;
    isSettlement = false;
    pageBefore = 0;
  }
  return false;
}

/** The log with corrected checksums, so that SQLite reads past a bad frame; null if empty. */
export function withRightChecksums(path: string): Buffer | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const frames = [...framesIn(bytes.subarray(headerBytes))];
  const [first] = frames;
  if (!first) return null;
  const wal = walOf(bytes.subarray(0, headerBytes));
  if (!hasWholeHeader(wal)) makeHeader(wal, first);
  const end = frames.findLastIndex((frame) => hasSalts(wal, frame)) + 1;
  let sum = headerSum(wal);
  for (const frame of frames.slice(0, end)) {
    wal.header.copy(frame, 8, 16, 24);
    sum = frameSum(wal, frame, sum);
    writeSum(frame, 16, sum);
  }
  return bytes;
}

function walOf(header: Buffer): Wal {
  return { header, isLittleEndian: header.readUInt32BE(0) !== magic + 1 };
}

/** Each frame is valid only until the next one is read. */
function* readFrames(file: number): Iterable<Buffer> {
  const buffer = Buffer.alloc(framesPerRead * frameBytes);
  for (let at = headerBytes; ; ) {
    const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, at));
    if (bytes.length < frameBytes) return;
    yield* framesIn(bytes);
    at += bytes.length - (bytes.length % frameBytes);
  }
}

function* framesIn(bytes: Buffer): Iterable<Buffer> {
  for (let start = 0; start + frameBytes <= bytes.length; start += frameBytes) {
    yield bytes.subarray(start, start + frameBytes);
  }
}

type Sum = readonly [number, number];

function hasWholeHeader(wal: Wal): boolean {
  const { header } = wal;
  return (header.readUInt32BE(0) | 1) === (magic | 1) && isSum(header, 24, headerSum(wal));
}

/** The first frame always belongs to the newest generation, so its salts are the header's. */
function makeHeader(wal: Wal, firstFrame: Buffer): void {
  const { header, isLittleEndian } = wal;
  header.writeUInt32BE(isLittleEndian ? magic : magic + 1, 0);
  header.writeUInt32BE(3_007_000, 4);
  header.writeUInt32BE(pageSize, 8);
  firstFrame.copy(header, 16, 8, 16);
  writeSum(header, 24, headerSum(wal));
}

function hasSalts({ header }: Wal, frame: Buffer): boolean {
  return header.compare(frame, 8, 16, 16, 24) === 0;
}

function headerSum(wal: Wal): Sum {
  return checksum(wal, wal.header.subarray(0, 24), [0, 0]);
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
