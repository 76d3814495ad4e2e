/**
 * Sends crowds of strangers from its own process, so that their cost is not charged to the host.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { sendAll } from "../hostile/crowd.ts";

const MB = 1024 * 1024;
const CALLERS = 400;
const SECOND = 1000;
const [port, rounds, most] = process.argv.slice(2).map(Number) as [number, number, number];
const run = `/api/runs/run_${"0".repeat(32)}/resume`;
const wide = `{"token":"x","result":[${"{},".repeat(15_000)}{}]}`;
const kinds = [
  { path: "/api/sessions", start: '{"agent":"demo"}', bytes: 8 * MB - 1 },
  { path: "/api/login", start: '{"code":"x"}', bytes: 8 * MB - 1 },
  { path: run, start: '{"token":"x"}', bytes: 8 * MB - 1 },
  ...(most < 64 * 1024 ? [] : [{ path: run, start: wide, bytes: 64 * 1024 }]),
];
const isTogether = process.argv.includes("together");
const told = new Map<number, number>();

function count(answers: ReadonlyMap<number, number>): void {
  for (const [status, times] of answers) told.set(status, (told.get(status) ?? 0) + times);
}

async function together(): Promise<void> {
  for (const { path, start, bytes } of Array.from({ length: rounds }, () => kinds).flat()) {
    count(await sendAll(port, { callers: CALLERS, path, start, bytes: Math.min(bytes, most) }));
  }
}

/** One caller: it starts at a moment of its own, and calls again one second after each refusal. */
async function caller(index: number): Promise<void> {
  await sleep((index * SECOND) / CALLERS);
  for (const { path, start, bytes } of Array.from({ length: rounds }, () => kinds).flat()) {
    const asked = { callers: 1, path, start, bytes: Math.min(bytes, most) };
    count(await sendAll(port, asked));
    await sleep(SECOND);
  }
}

if (isTogether) await together();
else await Promise.all(Array.from({ length: CALLERS }, (_, index) => caller(index)));
process.stdout.write(JSON.stringify([...told]));
