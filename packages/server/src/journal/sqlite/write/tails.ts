/**
 * The newest events of each active session, in memory: all durable events that are not settled yet,
 * and a few settled ones. Followers near the head read here. Events are kept as bytes, because
 * strings would cost the garbage collector more until they are settled.
 */

import type { SessionId } from "@holdfast/protocol";
import type { Slice } from "../../journal.ts";
import { maxSliceBytes } from "../../limits.ts";
import { skipLines, takeLines } from "../../lines.ts";

/** Settled bytes kept per session, so that a follower a little behind needs no disk read. */
const keptPerSession = 64 * 1024;

/** Settled bytes kept over all sessions; those settled longest ago are dropped first. */
const keptInAll = 32 * 1024 * 1024;

/** Above this many, sessions without unsettled events are dropped. */
const maxTails = 20_000;

/** Lines `start` … `end` of a buffer: the group's buffer while unsettled, a separate one afterwards. */
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
  /** The seq trimmed by this process; events trimmed by earlier ones were never loaded here. */
  trimmed: number;
  /** The first `settledParts` parts are settled; together they have `settledBytes` bytes. */
  parts: Part[];
  settledParts: number;
  settledBytes: number;
  /** A reader used this tail since the last settling. */
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

  /** Pairs of row and seq: events up to it are in pages, and may be dropped from memory. */
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
    // Settled bytes are kept only for tails that have readers; other sessions are read from their
    // pages.
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

  /** Copies newly settled parts, so that they do not keep their group's buffer alive. */
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

  /** Drops the oldest settled parts until at most `kept` bytes of them are left. */
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
