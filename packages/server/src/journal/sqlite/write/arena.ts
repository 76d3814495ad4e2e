/**
 * Encodes event lines into memory that the main thread and the writer share, in chunks. A group is
 * a range of a chunk, written once and read by both threads without a copy. A chunk is freed when
 * the last tail inside it is settled on both sides.
 */

/** Holds about forty groups of a busy host, so that they share one allocation. */
const chunkBytes = 1024 * 1024;

/** UTF-16 text is at most this many times longer in UTF-8. */
const widest = 3;

export class Arena {
  #chunk = chunk(0);
  #at = 0;

  /** Reserves one contiguous range for texts of this total length, and returns its start. */
  begin(length: number): number {
    const most = length * widest;
    if (this.#chunk.length - this.#at < most) {
      this.#chunk = chunk(Math.max(chunkBytes, most));
      this.#at = 0;
    }
    return this.#at;
  }

  write(text: string): number {
    const bytes = this.#chunk.write(text, this.#at);
    this.#at += bytes;
    return bytes;
  }

  since(start: number): Uint8Array {
    return this.#chunk.subarray(start, this.#at);
  }
}

function chunk(bytes: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(bytes));
}
