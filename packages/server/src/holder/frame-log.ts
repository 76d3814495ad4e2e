/**
 * Frames get their numbers and reach the spool here, in one order, and only then is done what they
 * announce. When the disk is full they wait in memory, and everything behind them with them.
 */

import { type Batch, FrameBuilder } from "./frame-batch.ts";
import type { Place, Spool } from "./spool.ts";

/** Freed space is used as soon as a person would notice. */
const RETRY = 500;

/** One frame, or a few. What an agent writes at once is some 64 KB, and more as frames. */
const MEMORY = 4 * 1024;
const MOST_MEMORY = 512 * 1024;

interface Waiting {
  readonly batch: Batch;
  readonly then: () => void;
}

export interface FrameLogOptions {
  readonly spool: Spool;
  /** True when the batch's bytes are not needed any more. */
  readonly onSpooled: (batch: Batch, place: Place) => boolean;
  /** The disk has taken what waited for it. */
  readonly onUnstuck: () => void;
}

export class FrameLog {
  readonly #options: FrameLogOptions;
  readonly #waiting: Waiting[] = [];
  /** Used again for the next frames: a flood would otherwise leave a heap of it behind. */
  #memory: Buffer | null = null;
  #last = 0;
  #retrying: NodeJS.Timeout | undefined;

  constructor(options: FrameLogOptions) {
    this.#options = options;
  }

  get last(): number {
    return this.#last;
  }

  /** The disk does not take any more. */
  get isStuck(): boolean {
    return this.#waiting.length > 0;
  }

  /** The next frames. They must be appended before any others are begun. */
  begin(): FrameBuilder {
    const memory = this.#memory ?? Buffer.allocUnsafe(MEMORY);
    this.#memory = null;
    return new FrameBuilder(this.#last + 1, memory);
  }

  /** `then` happens once the frames are spooled. */
  append(frames: FrameBuilder, then: () => void = () => undefined): void {
    if (frames.isEmpty) {
      then();
      return;
    }
    const batch = frames.build();
    this.#last = batch.lastN;
    const isFirst = this.#waiting.push({ batch, then }) === 1;
    if (isFirst) this.#flush();
  }

  /** Space may have been freed. */
  retry(): void {
    if (!this.isStuck) return;
    clearTimeout(this.#retrying);
    this.#flush();
    if (!this.isStuck) this.#options.onUnstuck();
  }

  #flush(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#spool(next.batch)) {
        this.#retrying = setTimeout(() => this.retry(), RETRY);
        return;
      }
      this.#waiting.shift();
      next.then();
    }
  }

  #spool(batch: Batch): boolean {
    const { spool, onSpooled } = this.#options;
    try {
      const place = spool.append(batch);
      const isFree = onSpooled(batch, place) && batch.memory.length <= MOST_MEMORY;
      if (isFree) this.#memory = batch.memory;
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
  }
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}
