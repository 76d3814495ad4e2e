/**
 * Parses the body of one HTTP response from a plain socket, chunked or not, without the cost of a
 * client.
 */

const CRLF = "\r\n";

export class Body {
  #head: Buffer | null = Buffer.alloc(0);
  #isChunked = false;
  /** Bytes left of the current chunk, including the two after its end. */
  #left = 0;
  #size: Buffer = Buffer.alloc(0);
  status = 0;

  /** Calls `take` with each piece of the body; true once the headers are complete. */
  push(chunk: Buffer, take: (bytes: Buffer) => void): boolean {
    if (this.#head === null) {
      this.#body(chunk, take);
      return true;
    }
    const all = Buffer.concat([this.#head, chunk]);
    const end = all.indexOf(CRLF + CRLF);
    if (end === -1) {
      this.#head = all;
      return false;
    }
    const head = all.toString("latin1", 0, end).toLowerCase();
    this.status = Number(head.split(" ", 2)[1]);
    this.#isChunked = head.includes("transfer-encoding: chunked");
    this.#head = null;
    this.#body(all.subarray(end + 4), take);
    return true;
  }

  #body(bytes: Buffer, take: (bytes: Buffer) => void): void {
    if (!this.#isChunked) {
      if (bytes.length > 0) take(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) {
        const end = bytes.indexOf("\n", at);
        const piece = bytes.subarray(at, end === -1 ? bytes.length : end + 1);
        this.#size = Buffer.concat([this.#size, piece]);
        at += piece.length;
        if (end === -1) return;
        this.#left = Number.parseInt(this.#size.toString("latin1"), 16) + CRLF.length;
        this.#size = Buffer.alloc(0);
        continue;
      }
      const some = Math.min(this.#left, bytes.length - at);
      const data = Math.min(some, this.#left - CRLF.length);
      if (data > 0) take(bytes.subarray(at, at + data));
      this.#left -= some;
      at += some;
    }
  }
}
