/**
 * The schedule of deltas: at full speed, or at a rate. Timestamps are the intended times, so that
 * stalls count as delay.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { delta, nowUs } from "./marks.ts";

export interface Emission {
  /** Number of the first delta. */
  readonly from: number;
  readonly count: number;
  /** Deltas per second; 0 is full speed. */
  readonly rate: number;
}

export interface Due {
  readonly seq: number;
  readonly text: string;
}

/** Yields all deltas that are due, at most `most` at once, until `count` is reached. */
export async function* dueDeltas(
  { from, count, rate }: Emission,
  most: number,
): AsyncGenerator<Due[], void, void> {
  const start = nowUs();
  const dueAt = (i: number) => Math.floor(start + (i * 1e6) / rate);
  for (let said = 0; said < count; ) {
    const now = nowUs();
    const due: Due[] = [];
    while (said < count && due.length < most && (rate === 0 || dueAt(said) <= now)) {
      const seq = from + said;
      due.push({ seq, text: delta(seq, rate === 0 ? now : dueAt(said)) });
      said++;
    }
    if (due.length > 0) yield due;
    if (said < count && rate !== 0) {
      const wait = (dueAt(said) - nowUs()) / 1000;
      if (wait > 0) await sleep(Math.max(1, wait));
    }
  }
}

export const emissionText = ({ from, count, rate }: Emission, kind = "text") =>
  `emit ${from} ${count} ${rate} ${kind}`;

/** Parses a prompt that asks for deltas; null for any other prompt. */
export function parseEmission(prompt: string): (Emission & { kind: string }) | null {
  const asked = /emit (\d+) (\d+) (\d+) (\w+)/.exec(prompt);
  if (asked === null) return null;
  const [from = 0, count = 0, rate = 0] = asked.slice(1, 4).map(Number);
  return { from, count, rate, kind: asked[4] ?? "text" };
}
