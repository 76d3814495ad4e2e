/**
 * Numbers frames and writes them to the spool in one order; the action that a frame announces runs
 * only after it is spooled. On a full disk frames wait in memory, together with all later ones.
 */

import { type FrameBatch, FrameBuilder } from "./frame-batch.ts";
import type { Spool, SpoolPosition } from "./spool.ts";

/** Retry interval on a full disk: short enough for people. */
const RETRY = 500;

/** Enough for a few frames. One burst of an agent is about 64 KB, and more as frames. */
const MEMORY = 4 * 1024;
const MOST_MEMORY = 512 * 1024;

interface Waiting {
  readonly batch: FrameBatch;
  readonly then: () => void;
}

interface FrameLogOptions {
  readonly spool: Spool;
  /** Returns true when the batch's bytes are no longer needed. */
  readonly onSpooled: (batch: FrameBatch, place: SpoolPosition) => boolean;
  readonly onUnstuck: () => void;
}

export class FrameLog {
  readonly #options: FrameLogOptions;
  readonly #waiting: Waiting[] = [];
  /** Reused for the next frames; otherwise a flood would leave many buffers on the heap. */
  #memory: Buffer | null = null;
  #last = 0;
  #retrying: NodeJS.Timeout | undefined;

  constructor(options: FrameLogOptions) {
    this.#options = options;
  }

  get last(): number {
    return this.#last;
  }

  get isStuck(): boolean {
    return this.#waiting.length > 0;
  }

  /** Starts the next frames. Append them before you begin others. */
  begin(): FrameBuilder {
    const memory = this.#memory ?? Buffer.allocUnsafe(MEMORY);
    this.#memory = null;
    return new FrameBuilder(this.#last + 1, memory);
  }

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

  #spool(batch: FrameBatch): boolean {
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
