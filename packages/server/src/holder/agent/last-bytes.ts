/** The last bytes of a stream, to report how it ended. */

export class LastBytes {
  readonly #limit: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const last = chunk.subarray(-this.#limit);
    const kept = this.#limit - last.length;
    this.#bytes = Buffer.concat([kept === 0 ? Buffer.alloc(0) : this.#bytes.subarray(-kept), last]);
  }

  get text(): string {
    // Skips the remaining bytes of a character that was cut.
    const start = this.#bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return this.#bytes.subarray(Math.max(start, 0)).toString();
  }
}
