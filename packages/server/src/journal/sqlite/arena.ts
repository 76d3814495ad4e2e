/**
 * Where event lines are encoded: memory that the main thread and the writer share, in chunks. A
 * group is a stretch of a chunk, written once and read by both, so that nothing is copied between
 * them; a chunk goes when the last tail that lies in it is settled on both sides.
 */

/** Some forty groups of a busy host: one allocation for all of them instead of two for each. */
const chunkBytes = 1024 * 1024;

/** UTF-16 text is at most this many times longer in UTF-8. */
const widest = 3;

export class Arena {
  #chunk = chunk(0);
  #at = 0;

  /** Makes sure that texts of this length in all lie in one stretch, and returns where it begins. */
  begin(length: number): number {
    const most = length * widest;
    if (this.#chunk.length - this.#at < most) {
      this.#chunk = chunk(Math.max(chunkBytes, most));
      this.#at = 0;
    }
    return this.#at;
  }

  /** Returns the length of the text in bytes. */
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
