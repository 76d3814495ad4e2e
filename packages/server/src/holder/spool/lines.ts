/** Splits bytes on 0x0A before decoding: a character may lie across two chunks. */

const NEWLINE = 0x0a;

/** `bytes` is valid only during the call; copy it to keep it. */
type OnLine = (bytes: Buffer, from: number, to: number) => void;

/** Parses several lines of JSON with one call, which is cheaper than one call per line. */
export function parseLines(bytes: Buffer, from: number, to: number): unknown[] {
  return JSON.parse(`[${bytes.toString("utf8", from, to).replaceAll("\n", ",")}]`) as unknown[];
}

export class Lines {
  readonly #maxBytes: number;
  /** The unfinished line. Its buffer grows by doubling, so that single bytes stay cheap. */
  #held = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Passes on each line that ends in `chunk`; false as soon as a line is too long, and ever after. */
  push(chunk: Buffer, onLine: OnLine): boolean {
    if (this.#length > this.#maxBytes) return false;
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      if (this.#length + to - from > this.#maxBytes) return this.#fail();
      if (this.#length === 0) {
        onLine(chunk, from, to);
      } else {
        this.#end(chunk, from, to, onLine);
      }
      from = to + 1;
    }
    if (this.#length + chunk.length - from > this.#maxBytes) return this.#fail();
    this.#hold(chunk, from, chunk.length);
    return true;
  }

  /** Like `push`, with as many complete lines per call as possible. */
  pushTogether(chunk: Buffer, onLines: OnLine): boolean {
    if (this.#length > this.#maxBytes) return false;
    const last = chunk.lastIndexOf(NEWLINE);
    let from = 0;
    if (last >= 0 && this.#length > 0) {
      const first = chunk.indexOf(NEWLINE);
      if (this.#length + first > this.#maxBytes) return this.#fail();
      this.#end(chunk, 0, first, onLines);
      from = first + 1;
    }
    if (last > from) onLines(chunk, from, last);
    from = last + 1;
    if (this.#length + chunk.length - from > this.#maxBytes) return this.#fail();
    this.#hold(chunk, from, chunk.length);
    return true;
  }

  /** Passes on the text after the last newline when the stream has ended. */
  rest(onLine: OnLine): void {
    if (this.#length === 0 || this.#length > this.#maxBytes) return;
    const length = this.#length;
    this.#length = 0;
    onLine(this.#held, 0, length);
  }

  #end(chunk: Buffer, from: number, to: number, onLine: OnLine): void {
    this.#hold(chunk, from, to);
    const length = this.#length;
    this.#length = 0;
    onLine(this.#held, 0, length);
    this.#shrink();
  }

  #hold(chunk: Buffer, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * length, this.#maxBytes));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    chunk.copy(this.#held, this.#length, from, to);
    this.#length = length;
  }

  #shrink(): void {
    if (this.#held.length > 1024 * 1024) this.#held = Buffer.alloc(0);
  }

  #fail(): false {
    this.#held = Buffer.alloc(0);
    this.#length = Number.POSITIVE_INFINITY;
    return false;
  }
}
