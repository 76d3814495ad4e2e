/**
 * Marks that identify deltas at the receiver. Each delta carries its number and its intended time
 * in the text itself. A peer that groups deltas into larger events keeps the marks, so marks are
 * counted, not events. The clock is the machine's monotonic one, the same in every process.
 */

const TILDE = 0x7e;
const DOT = 0x2e;
const ZERO = 0x30;
const TIME_DIGITS = 15;
const SEQ_DIGITS = 8;
const LENGTH = TIME_DIGITS + SEQ_DIGITS + 3;
const words = " the parser reads one token too far";

/** Monotonic time in microseconds. */
export function nowUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanoseconds / 1000);
}

/** The text of a delta, about 60 bytes: a mark and a few words. */
export function delta(seq: number, at: number): string {
  return `~${String(at).padStart(TIME_DIGITS, "0")}.${String(seq).padStart(SEQ_DIGITS, "0")}~${words}`;
}

/** The stored line of a delta in a peer that does not group, about 180 bytes. */
export function lineOf(text: string, seq: number): string {
  return `{"seq":${seq},"ts":"2026-11-15T04:30:00.000Z","kind":"text.appended","runId":"run_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b","attempt":1,"text":"${text}"}`;
}

/** Finds the marks in a stream of bytes, also across chunk boundaries. */
export class Scanner {
  #tail: Buffer | null = null;

  push(chunk: Buffer, found: (seq: number, at: number) => void): void {
    const bytes = this.#tail === null ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#tail = null;
    for (let at = bytes.indexOf(TILDE); at !== -1; at = bytes.indexOf(TILDE, at)) {
      if (at + LENGTH > bytes.length) {
        this.#tail = Buffer.from(bytes.subarray(at));
        return;
      }
      if (bytes[at + LENGTH - 1] !== TILDE || bytes[at + TIME_DIGITS + 1] !== DOT) {
        at++;
        continue;
      }
      const time = digits(bytes, at + 1, TIME_DIGITS);
      found(digits(bytes, at + TIME_DIGITS + 2, SEQ_DIGITS), time);
      at += LENGTH;
    }
  }
}

function digits(bytes: Buffer, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i++) value = value * 10 + ((bytes[i] ?? ZERO) - ZERO);
  return value;
}
