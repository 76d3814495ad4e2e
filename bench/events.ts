/**
 * Event lines as a streaming agent makes them, about 250 bytes each. A line names its run and not
 * its session, so all sessions of a workload share the lines of one run, encoded before the clock
 * starts. One line in eight has letters outside Latin-1, as real output does: such a line doubles
 * the width of every string it is joined to.
 */

import type { EventBody, RunId } from "@holdfast/protocol";
import { encodeStamped } from "@holdfast/protocol/schemas";

const words = `the test fails because the parser reads one token too far so I move the check before
the loop and run it again now every case passes except the empty file which never had a last line
let me look at how the caller handles that before changing anything else in this module`.split(
  /\s+/,
);
const TEXT_LENGTH = 110;

export const runId: RunId = `run_${"0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"}`;
export const ts = "2026-11-15T04:30:00.000Z";

export function textOf(n: number): string {
  let text = n % 8 === 0 ? "→ “fixed” ✓" : "";
  for (let i = n * 7; text.length < TEXT_LENGTH; i++) text += ` ${words[i % words.length]}`;
  return text.slice(0, TEXT_LENGTH);
}

export function bodyOf(seq: number): EventBody {
  return { kind: "text.appended", runId, attempt: 1, text: textOf(seq) };
}

/** Line `seq` of every session; `prepare` keeps encoding out of the measured time. */
export class Lines {
  readonly #lines: string[] = [""];

  prepare(upTo: number): void {
    for (let seq = this.#lines.length; seq <= upTo; seq++) {
      this.#lines.push(encodeStamped({ seq, ts, ...bodyOf(seq) }));
    }
  }

  at(seq: number): string {
    const line = this.#lines[seq];
    if (line !== undefined) return line;
    this.prepare(seq + 1000);
    return this.at(seq);
  }
}
