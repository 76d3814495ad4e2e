/**
 * Server-Sent Events as the HTML standard parses them (9.2.6), for text that arrives in any pieces.
 *
 * It is our own because a clone runs with Node's condition `source`, under which the usual package
 * resolves to TypeScript inside node_modules, which Node does not load. Its tests compare it with
 * that package, piece by piece.
 */

export interface Frame {
  /** Absent where the block had no `id:` of its own. */
  readonly id: string | undefined;
  /** Absent means a message. */
  readonly event: string | undefined;
  readonly data: string;
}

export class SseParser {
  #rest = "";
  #isFirst = true;
  /** The last piece ended in CR: an LF that comes next belongs to it. */
  #endedInCr = false;
  #id: string | undefined;
  #event: string | undefined;
  #data: string[] = [];

  /** The frames that this piece completes. */
  push(piece: string): Frame[] {
    if (piece === "") return [];
    let text = this.#rest + this.#withoutStart(piece);
    const frames: Frame[] = [];
    let from = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      this.#endedInCr = end === "\r" && index === text.length - 1;
      const frame = this.#line(text.slice(from, index));
      if (frame !== null) frames.push(frame);
      from = index + end.length;
    }
    text = text.slice(from);
    this.#rest = text;
    return frames;
  }

  #withoutStart(piece: string): string {
    const isFirst = this.#isFirst;
    const endedInCr = this.#endedInCr;
    this.#isFirst = false;
    this.#endedInCr = false;
    if (isFirst && piece.startsWith("\uFEFF")) return piece.slice(1);
    return endedInCr && piece.startsWith("\n") ? piece.slice(1) : piece;
  }

  #line(line: string): Frame | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value === "" ? undefined : value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }

  #dispatch(): Frame | null {
    const frame = { id: this.#id, event: this.#event, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#id = undefined;
    this.#event = undefined;
    this.#data = [];
    return isEmpty ? null : frame;
  }
}
