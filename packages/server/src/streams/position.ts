/**
 * A follower's position: the last seq it received, and the journal's checksum up to there, by which
 * a client detects a gap, a repeat or damage.
 *
 * The journal stores the checksum of its head only. A follower that starts at the beginning, at the
 * head or from a base knows its checksum at once and updates it along the way. Others get it when
 * they pass the seq that was the head at their start. One pass of CRC-32 over bytes that are copied
 * to a socket anyway is cheap.
 */

import { crc32 } from "node:zlib";
import { foldVersion } from "@holdfast/protocol";
import type { Base, Slice } from "../journal/journal.ts";
import { skipLines } from "../journal/lines.ts";

export interface Heartbeat {
  readonly seq: number;
  /** Null while the follower replays events below the initial head. */
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

  /** `slice` must begin right after the current position. */
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
