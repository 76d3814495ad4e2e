/**
 * Masks secret values in a stream of text, also where a value is split between two pieces. Only an
 * end that may be the start of a value is held back until the next piece.
 */

/** Shorter values are found by accident in ordinary text. */
const SHORTEST_MASKED = 12;
const MASK = "[masked]";

export class TextMask {
  readonly #secrets: readonly string[];
  /** The end of the earlier text that may be the start of a value. */
  #held = "";
  /** Characters at the start of `#held` that are part of a value already masked. */
  #masked = 0;

  constructor(secrets: readonly string[]) {
    const long = secrets.filter((secret) => secret.length >= SHORTEST_MASKED);
    // Agents print values inside JSON too.
    this.#secrets = [...new Set(long.flatMap((secret) => [secret, inJson(secret)]))];
  }

  push(piece: string): string {
    const text = this.#held + piece;
    return this.#take(
      text,
      this.#secrets.reduce((end, secret) => Math.min(end, startOf(text, secret)), text.length),
    );
  }

  /** The rest, when the stream is over. */
  end(): string {
    return this.#take(this.#held, this.#held.length);
  }

  /** Returns the text before `end` with its values masked, and holds the rest back. */
  #take(text: string, end: number): string {
    let out = "";
    let done = this.#masked;
    for (const [from, to] of [...this.#found(text)].sort(([a], [b]) => a - b)) {
      // A value that overlaps the one before it extends its mask.
      if (from >= end) break;
      if (from >= done) out += text.slice(done, from) + MASK;
      done = Math.max(done, to);
    }
    out += text.slice(done, Math.max(done, end));
    this.#held = text.slice(end);
    this.#masked = Math.max(0, done - end);
    return out;
  }

  *#found(text: string): Generator<readonly [from: number, to: number]> {
    for (const secret of this.#secrets) {
      for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
        yield [at, at + secret.length];
    }
  }
}

/** The same for bytes. */
export class ByteMask {
  readonly #text: TextMask;

  constructor(secrets: readonly string[]) {
    this.#text = new TextMask(secrets.map((secret) => Buffer.from(secret).toString("latin1")));
  }

  push(piece: Buffer): Buffer {
    return Buffer.from(this.#text.push(piece.toString("latin1")), "latin1");
  }

  end(): Buffer {
    return Buffer.from(this.#text.end(), "latin1");
  }
}

/** The position in `text` from which its end could be the start of `secret`. */
function startOf(text: string, secret: string): number {
  const first = secret.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? text.length : at;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
