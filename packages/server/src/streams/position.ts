/**
 * Where a follower stands: the last seq it was given, and the journal's checksum up to there, by which
 * a client finds a gap, a repeat or damage.
 *
 * The journal keeps the checksum of its head only. Whoever starts at the beginning, at the head or from
 * a base knows it at once and carries it along; others learn it when they pass what was the head when
 * they came. One pass of CRC-32 over bytes that are copied to a socket anyway is next to nothing.
 */

import { crc32 } from "node:zlib";
import { foldVersion } from "@holdfast/protocol";
import type { Base, Slice } from "../journal/journal.ts";
import { skipLines } from "../journal/lines.ts";

export interface Heartbeat {
  readonly seq: number;
  /** Null while the follower replays what lay before it came. */
  readonly chain: number | null;
  readonly now: string;
  readonly foldVersion: number;
}

interface Mark {
  readonly seq: number;
  readonly chain: number;
}

export class Position {
  #seq: number;
  #chain: number | null;
  readonly #head: Mark;

  constructor(after: number, head: Mark) {
    this.#seq = after;
    this.#head = head;
    if (after === 0) this.#chain = 0;
    else this.#chain = after === head.seq ? head.chain : null;
  }

  get seq(): number {
    return this.#seq;
  }

  /** `slice` begins where the follower stands. */
  pass({ count, bytes }: Slice): void {
    const ahead = this.#head.seq - this.#seq;
    if (this.#chain !== null) {
      this.#chain = crc32(bytes, this.#chain);
    } else if (ahead <= count) {
      this.#chain = crc32(bytes.subarray(skipLines(bytes, 0, ahead)), this.#head.chain);
    }
    this.#seq += count;
  }

  jump({ seq, chain }: Base): void {
    this.#seq = seq;
    this.#chain = chain;
  }

  heartbeat(now: number): Heartbeat {
    return {
      seq: this.#seq,
      chain: this.#chain,
      now: new Date(now).toISOString(),
      foldVersion,
    };
  }
}
