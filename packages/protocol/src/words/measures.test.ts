import { expect, test } from "vitest";
import { bytes, count } from "./measures.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1500, "1.5 KB"],
  [48_000_000_000, "48 GB"],
])("%i bytes are %s", (n, words) => {
  expect(bytes(n)).toBe(words);
});

test("a count has its noun and thousands separators", () => {
  expect(count(1, "event")).toBe("1 event");
  expect(count(1284, "event")).toBe("1,284 events");
  expect(count(2, "entry", "entries")).toBe("2 entries");
});
