/**
 * Parses a server's WebSocket messages, so that one can be dropped or changed in transit. It relies
 * on three facts: servers do not mask, ours does not compress, and each message is one frame.
 */

export type Change = (text: string) => string | null;

const TEXT = 0x81;
const HEAD_END = "\r\n\r\n";

export class FrameChanger {
  readonly #change: Change;
  #rest = Buffer.alloc(0);
  #state: "unknown" | "upgraded" | "plain" = "unknown";

  constructor(change: Change) {
    this.#change = change;
  }

  take(bytes: Buffer): Buffer {
    if (this.#state === "plain") return bytes;
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const out: Buffer[] = [];
    if (this.#state === "unknown") out.push(this.#head());
    if (this.#state === "upgraded") {
      for (let frame = this.#frame(); frame !== null; frame = this.#frame()) out.push(frame);
    }
    return Buffer.concat(out);
  }

  /** The bytes before the first frame, or all bytes of a connection without frames. */
  #head(): Buffer {
    const text = this.#rest.toString("latin1");
    if (!text.startsWith("HTTP/1.1 101")) {
      this.#state = "plain";
      return this.#rest;
    }
    const end = text.indexOf(HEAD_END);
    if (end < 0) return Buffer.alloc(0);
    this.#state = "upgraded";
    const head = this.#rest.subarray(0, end + HEAD_END.length);
    this.#rest = this.#rest.subarray(head.length);
    return head;
  }

  #frame(): Buffer | null {
    const [start, length] = placeOf(this.#rest) ?? [0, 0];
    if (start === 0 || this.#rest.length < start + length) return null;
    const whole = this.#rest.subarray(0, start + length);
    this.#rest = this.#rest.subarray(whole.length);
    if (whole[0] !== TEXT) return whole;
    const text = whole.subarray(start).toString("utf8");
    const changed = this.#change(text);
    if (changed === text) return whole;
    return changed === null ? Buffer.alloc(0) : frameOf(changed);
  }
}

/** Offset and length of the first frame's payload; null until its header is complete. */
function placeOf(bytes: Buffer): readonly [number, number] | null {
  if (bytes.length < 2) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  if (short < 126) return [2, short];
  if (short === 126) return bytes.length < 4 ? null : [4, bytes.readUInt16BE(2)];
  return bytes.length < 10 ? null : [10, Number(bytes.readBigUInt64BE(2))];
}

/** A frame with the shortest length field: browsers close the connection for a longer one. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head.writeUInt8(TEXT, 0);
  head.writeUInt8(head.length === 2 ? length : head.length === 4 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
