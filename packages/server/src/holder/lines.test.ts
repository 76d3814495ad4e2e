import fc from "fast-check";
import { expect, test } from "vitest";
import { Lines } from "./lines.ts";

/** The lines that come out when the bytes come in such pieces, and whether all were short enough. */
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

test("gives the same lines however the bytes are cut, characters included", () => {
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

test("other separators of lines are part of a line, and an unfinished last one is given too", () => {
  const [lines] = split(Buffer.from("a\u2028b\rc\r\nd"), [3]);
  expect(lines).toEqual(["a\u2028b\rc\r", "d"]);
});

test("a line may be as long as the limit and not a byte longer, ended or not", () => {
  const long = "x".repeat(1000);
  expect(split(Buffer.from(`${long}\n${long}\n`), [7])).toEqual([[long, long], true]);
  expect(split(Buffer.from(`a\n${long}y\nb\n`), [7])).toEqual([["a"], false]);
  expect(split(Buffer.from(`a\n${long}y`), [3000])).toEqual([["a"], false]);
});
