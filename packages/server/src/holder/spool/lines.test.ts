import fc from "fast-check";
import { expect, test } from "vitest";
import { Lines, parseLines } from "./lines.ts";

/** The lines that result from these chunk sizes, and whether all were short enough. */
function split(bytes: Buffer, sizes: readonly number[], max = 1000): [string[], boolean] {
  const lines = new Lines(max);
  const out: string[] = [];
  const take = (line: Buffer, from: number, to: number) =>
    out.push(line.toString("utf8", from, to));
  let isSane = true;
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    isSane = lines.push(bytes.subarray(at, at + size), take) && isSane;
    at += size;
  }
  lines.rest(take);
  return [out, isSane];
}

test("the same lines result however the bytes are cut, characters included", () => {
  const text = fc.array(
    fc.string({ unit: "binary", maxLength: 20 }).map((s) => s.replaceAll("\n", " ")),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  fc.assert(
    fc.property(text, sizes, (lines, pieces) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      expect(split(bytes, pieces)[0]).toEqual(bytes.toString().split("\n").slice(0, -1));
    }),
  );
});

test("lines of JSON parsed together give the same values, however the bytes are cut", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), sizes, (values, pieces) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
      const lines = new Lines(100_000);
      const out: unknown[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = pieces[i % pieces.length] ?? 1;
        const chunk = bytes.subarray(at, at + size);
        lines.pushTogether(chunk, (...where) => out.push(...parseLines(...where)));
        at += size;
      }
      expect(JSON.stringify(out)).toBe(JSON.stringify(values));
    }),
  );
});

test("an unfinished line is also too long when it is pushed together with others", () => {
  const lines = new Lines(10);
  const out: string[] = [];
  const take = (bytes: Buffer, from: number, to: number) =>
    out.push(bytes.toString("utf8", from, to));
  expect(lines.pushTogether(Buffer.from("1\n2\n3456789"), take)).toBe(true);
  expect(lines.pushTogether(Buffer.from("0\n"), take)).toBe(true);
  expect(lines.pushTogether(Buffer.from("123456"), take)).toBe(true);
  expect(lines.pushTogether(Buffer.from("78901\n2\n"), take)).toBe(false);
  expect(lines.pushTogether(Buffer.from("3\n"), take)).toBe(false);
  expect(out).toEqual(["1\n2", "34567890"]);
});

test("other line separators are part of a line, and an unfinished last line is given too", () => {
  const [lines] = split(Buffer.from("a\u2028b\rc\r\nd"), [3]);
  expect(lines).toEqual(["a\u2028b\rc\r", "d"]);
});

test("a line may be as long as the limit and not a byte longer, finished or not", () => {
  const long = "x".repeat(1000);
  expect(split(Buffer.from(`${long}\n${long}\n`), [7])).toEqual([[long, long], true]);
  expect(split(Buffer.from(`a\n${long}y\nb\n`), [7])).toEqual([["a"], false]);
  expect(split(Buffer.from(`a\n${long}y`), [3000])).toEqual([["a"], false]);
});
