/**
 * The newest events of each active session, in memory: all that is durable but not settled, and a
 * little of what is. Followers near the head read here. Bytes, not strings: the garbage collector
 * would have to carry every event's text from hand to hand until it is settled.
 */

import type { SessionId } from "@holdfast/protocol";
import type { Slice } from "../journal.ts";
import { maxSliceBytes } from "../limits.ts";
import { skipLines, takeLines } from "../lines.ts";

/** Settled bytes kept per session: a live follower a little behind needs no disk. */
const keptPerSession = 64 * 1024;

/** …and over all sessions; the ones settled longest ago go first. */
const keptInAll = 32 * 1024 * 1024;

/** Sessions with nothing unsettled are forgotten past this many. */
const maxTails = 20_000;

/** Lines `start` … `end` of a buffer: of a group while unsettled, of its own afterwards. */
export interface Part {
  readonly firstSeq: number;
  readonly count: number;
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
}

export interface Tail {
  readonly session: SessionId;
  readonly row: number;
  seq: number;
  chain: number;
  settled: number;
  /** What this life trimmed; an older trim left nothing here. */
  trimmed: number;
  /** The first `settledParts` of them are settled and `settledBytes` long. */
  parts: Part[];
  settledParts: number;
  settledBytes: number;
  /** Someone read here since the last settling. */
  isRead: boolean;
}

export class Tails {
  readonly #bySession = new Map<SessionId, Tail>();
  readonly #byRow = new Map<number, Tail>();
  #settledBytes = 0;

  get(session: SessionId): Tail | undefined {
    return this.#bySession.get(session);
  }

  appended(session: SessionId, row: number, chain: number, part: Part): void {
    const tail = this.#byRow.get(row) ?? this.#add(session, row, part.firstSeq - 1);
    tail.chain = chain;
    tail.seq += part.count;
    if (part.count > 0) tail.parts.push(part);
  }

  /** Pairs of row and seq: events up to there are in pages now and may go when memory is short. */
  settledAll(pairs: Uint32Array): void {
    for (let i = 0; i < pairs.length; i += 2)
      this.#settled(pairs[i] as number, pairs[i + 1] as number);
  }

  #settled(row: number, seq: number): void {
    const tail = this.#byRow.get(row);
    if (!tail || seq <= tail.settled) return;
    tail.settled = seq;
    const own = this.#unshare(tail);
    tail.settledBytes += own;
    this.#settledBytes += own;
    // Kept for those who read here; a session that nobody follows is read from its pages.
    this.#release(tail, tail.isRead ? keptPerSession : 0);
    tail.isRead = false;
    this.#bySession.delete(tail.session);
    this.#bySession.set(tail.session, tail);
    this.#makeRoom();
  }

  trimmed(session: SessionId, upTo: number): void {
    const tail = this.#bySession.get(session);
    if (tail) tail.trimmed = Math.max(tail.trimmed, upTo);
  }

  drop(session: SessionId): void {
    const tail = this.#bySession.get(session);
    if (!tail) return;
    this.#settledBytes -= tail.settledBytes;
    this.#bySession.delete(session);
    this.#byRow.delete(tail.row);
  }

  #add(session: SessionId, row: number, seq: number): Tail {
    const tail: Tail = {
      session,
      row,
      seq,
      chain: 0,
      settled: seq,
      trimmed: 0,
      parts: [],
      settledParts: 0,
      settledBytes: 0,
      isRead: false,
    };
    this.#bySession.set(session, tail);
    this.#byRow.set(row, tail);
    return tail;
  }

  /** Moves the newly settled parts into one buffer of their own: a part must not keep its group alive. */
  #unshare(tail: Tail): number {
    const from = tail.settledParts;
    let to = from;
    while ((tail.parts[to]?.firstSeq ?? Number.POSITIVE_INFINITY) <= tail.settled) to++;
    const moved = tail.parts.slice(from, to);
    const first = moved[0];
    if (!first) return 0;
    if (!tail.isRead) {
      tail.parts.splice(from, moved.length);
      return 0;
    }
    const body = join(moved);
    const count = tail.settled + 1 - first.firstSeq;
    const own = { firstSeq: first.firstSeq, count, body, start: 0, end: body.length };
    tail.parts.splice(from, moved.length, own);
    tail.settledParts++;
    return body.length;
  }

  /** Lets go of the oldest settled parts until at most `kept` bytes of them are left. */
  #release(tail: Tail, kept: number): void {
    let gone = 0;
    while (tail.settledBytes > kept && gone < tail.settledParts) {
      const length = tail.parts[gone]?.body.length ?? 0;
      tail.settledBytes -= length;
      this.#settledBytes -= length;
      gone++;
    }
    tail.parts.splice(0, gone);
    tail.settledParts -= gone;
  }

  #makeRoom(): void {
    if (this.#settledBytes <= keptInAll && this.#bySession.size <= maxTails) return;
    for (const tail of this.#bySession.values()) {
      if (this.#settledBytes <= keptInAll && this.#bySession.size <= maxTails) return;
      this.#release(tail, 0);
      if (tail.settled === tail.seq) this.drop(tail.session);
    }
  }
}

/** The first seq that `readTail` can serve. */
export function firstInMemory(tail: Tail): number {
  return tail.parts[0]?.firstSeq ?? tail.seq + 1;
}

export function readTail(tail: Tail, after: number, limit: number): Slice {
  tail.isRead = true;
  let at = find(tail.parts, after + 1);
  const skipped = after + 1 - (tail.parts[at]?.firstSeq ?? after + 1);
  const parts: Part[] = [];
  let available = -skipped;
  let length = 0;
  for (let part = tail.parts[at]; part; part = tail.parts[++at]) {
    parts.push(part);
    available += part.count;
    length += part.end - part.start;
    if (available >= limit || length >= 2 * maxSliceBytes) break;
  }
  const bytes = join(parts);
  const start = skipLines(bytes, 0, skipped);
  const { count, end } = takeLines(bytes, start, available, limit);
  return { firstSeq: after + 1, count, bytes: bytes.subarray(start, end) };
}

function join(parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.map(({ body, start, end }) => body.subarray(start, end)));
}

/** The place of the last part that begins at or before `seq`. */
function find(parts: readonly Part[], seq: number): number {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((parts[middle]?.firstSeq ?? 0) <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}
