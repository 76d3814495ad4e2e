/**
 * A full disk. A ballast file keeps some space in hand: when a commit does not fit, the ballast
 * goes, and cancels, outcomes and deletes still get through while everything else is refused.
 * Freed space is noticed by itself, and the ballast comes back.
 */

import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "./files.ts";
import type { Admission } from "./group.ts";

export const defaultBallastBytes = 16 * 1024 * 1024;

/** On a small disk the ballast must not be what fills it. */
const ballastFraction = 16;

/** Room beyond the ballast before ordinary work is taken again, so that it is not refused at once. */
const marginBytes = 2 * 1024 * 1024;

const lookEveryMs = 1000;

export class Space {
  readonly #path: string;
  readonly #maxBallastBytes: number;
  #isLow = false;
  #lookedAt = 0;

  constructor(path: string, maxBallastBytes: number) {
    this.#path = path;
    this.#maxBallastBytes = maxBallastBytes;
    if (!this.#hasBallast()) this.#isLow = !this.#makeBallast();
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  admission(): Admission {
    return this.#isLow && !this.#hasRecovered() ? "essential" : "all";
  }

  /** A write found no room: from now on only essential work, in the space the ballast leaves. */
  ranOut(): void {
    this.#isLow = true;
    this.#lookedAt = performance.now();
    rmSync(this.#path, { force: true });
  }

  #hasRecovered(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt < lookEveryMs) return false;
    this.#lookedAt = now;
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    if (bavail * bsize < this.#ballastBytes() + marginBytes) return false;
    this.#isLow = !this.#makeBallast();
    return !this.#isLow;
  }

  #ballastBytes(): number {
    const { blocks, bsize } = statfsSync(dirname(this.#path));
    return Math.min(this.#maxBallastBytes, Math.floor((blocks * bsize) / ballastFraction));
  }

  #hasBallast(): boolean {
    const file = statSync(this.#path, { throwIfNoEntry: false });
    return file !== undefined && file.size >= this.#ballastBytes();
  }

  /** Real bytes: a sparse file would keep no space. */
  #makeBallast(): boolean {
    const fd = openSync(this.#path, "w", 0o600);
    try {
      const chunk = Buffer.alloc(1024 * 1024, "ballast ");
      for (let left = this.#ballastBytes(); left > 0; ) {
        left -= writeSync(fd, chunk, 0, Math.min(left, chunk.length));
      }
      fsyncSync(fd);
      syncDirectory(dirname(this.#path));
      return true;
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      rmSync(this.#path, { force: true });
      return false;
    } finally {
      closeSync(fd);
    }
  }
}

function isNoSpace(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT";
}
