/**
 * Handles a full disk. A ballast file reserves space: when a commit does not fit, the ballast is
 * deleted, and cancels, outcomes and deletes still succeed while all other writes are refused. When
 * space is free again, the ballast is recreated.
 */

import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "../../../base/sync.ts";
import type { Admission } from "./group.ts";

export const defaultBallastBytes = 16 * 1024 * 1024;

/** On a small disk the ballast is at most this fraction of it. */
const ballastFraction = 16;

/** Free bytes beyond the ballast that are needed before ordinary writes are accepted again. */
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

  /** Call when a write found no room: from now on only essential writes run, in the ballast's space. */
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

  /** Writes real bytes, because a sparse file would reserve no space. */
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
