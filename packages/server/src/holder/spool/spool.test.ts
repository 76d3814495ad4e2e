import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSpool, SpoolGap } from "../host-side/read-spool.ts";
import { type FrameBatch, FrameBuilder } from "./frame-batch.ts";
import type { Frame } from "./frames.ts";
import { Spool } from "./spool.ts";
import { SpoolCursor } from "./spool-cursor.ts";

let dir: string;
let spool: Spool;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-spool-"));
  spool = new Spool(join(dir, "spool"), 1000);
});

afterEach(() => rmSync(dir, { recursive: true }));

/** The next `count` frames, each with a different line of an agent. */
function batch(count: number): FrameBatch {
  const frames = new FrameBuilder(spool.last + 1, Buffer.alloc(0));
  for (let i = 0; i < count; i++) {
    const line = Buffer.from(`{"method":"é","params":${frames.nextN}}`);
    frames.addLine(line, 0, line.length);
  }
  return frames.build();
}

function read(after = 0): number[] {
  const frames: Frame[] = [...readSpool(dir, after)].flat();
  for (const { n, ...frame } of frames) {
    expect(frame).toEqual({ k: "line", line: { method: "é", params: n } });
  }
  return frames.map(({ n }) => n);
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const segments = () => readdirSync(join(dir, "spool")).sort();
const lastSegment = () => join(dir, "spool", segments().at(-1) as string);

test("written frames are read back, from any frame on, over several segments", () => {
  for (const count of [1, 5, 30, 1, 7]) spool.append(batch(count));
  expect(segments().length).toBeGreaterThan(2);
  for (const after of [0, 1, 3, 6, 20, 43, 44]) expect(read(after)).toEqual(numbers(after + 1, 44));
});

test("a record cut anywhere ends the spool with the record before it", () => {
  spool.append(batch(3));
  const whole = readFileSync(lastSegment()).length;
  spool.append(batch(2));
  const bytes = readFileSync(lastSegment());
  for (let size = bytes.length - 1; size >= whole; size--) {
    truncateSync(lastSegment(), size);
    expect(read()).toEqual([1, 2, 3]);
  }
});

test("a flipped bit anywhere ends the spool there, and later records are not trusted", () => {
  spool.append(batch(2));
  const start = readFileSync(lastSegment()).length;
  const { record } = batch(1);
  spool.append(batch(1));
  spool.append(batch(2));
  const path = lastSegment();
  const bytes = readFileSync(path);
  for (let bit = 8 * start; bit < 8 * (start + record.length); bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, damaged);
    expect(read()).toEqual([1, 2]);
  }
});

test("a missing segment ends the spool, and a missing beginning is an error", () => {
  for (let i = 0; i < 6; i++) spool.append(batch(15));
  const [first, second] = segments().map((name) => join(dir, "spool", name)) as [string, string];
  const end = Number(segments()[1]) - 1;
  copyFileSync(second, join(dir, "kept"));
  unlinkSync(second);
  expect(read()).toEqual(numbers(1, end));
  copyFileSync(join(dir, "kept"), second);
  unlinkSync(first);
  expect(read(end).at(-1)).toBe(90);
  expect(() => read(end - 1)).toThrow(SpoolGap);
});

test("a segment is deleted when all of it is acknowledged, the current one when it is large enough", () => {
  for (let i = 0; i < 6; i++) spool.append(batch(15));
  const [, second] = segments();
  spool.acknowledge(Number(second) - 2);
  expect(spool.hasAllAfter(0)).toBe(true);
  spool.acknowledge(Number(second) - 1);
  expect(segments()[0]).toBe(second);
  expect(spool.hasAllAfter(0)).toBe(false);
  spool.acknowledge(90);
  expect(segments()).toEqual([]);
  expect([spool.bytes, spool.last, spool.hasAllAfter(90)]).toEqual([0, 90, true]);

  spool.append(batch(1));
  spool.acknowledge(91);
  expect(segments().length).toBe(1);
  expect(read(91)).toEqual([]);
});

test("a reader of the live spool loses and repeats no frame while segments come and go", () => {
  for (let i = 0; i < 5; i++) spool.append(batch(9));
  const cursor = new SpoolCursor(spool, spool.placeAfter(4) as never, 4);
  const seen: number[] = [];
  for (let next = cursor.read(); next !== null; next = cursor.read()) {
    const lines = Buffer.concat(next).toString().trimEnd().split("\n");
    seen.push(...lines.map((line) => (JSON.parse(line) as Frame).n));
    spool.acknowledge(cursor.after);
    if (spool.last < 500) spool.append(batch(7));
  }
  cursor.close();
  expect(seen).toEqual(numbers(5, spool.last));
});

test("a directory without a spool gives no frames", () => {
  expect([...readSpool(join(dir, "nowhere"), 0)]).toEqual([]);
  expect(existsSync(join(dir, "nowhere"))).toBe(false);
});
