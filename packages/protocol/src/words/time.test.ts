import { expect, test } from "vitest";
import { age, ago, duration } from "./time.ts";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1500, "1.5 s"],
  [59_000, "59 s"],
  [61_000, "1 min"],
  [2 * 3_600_000, "2 h"],
  [72 * 3_600_000, "3 d"],
])("%i ms are %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("an age in the future is now, and an invalid time is a question mark", () => {
  const now = Date.parse("2026-11-15T00:00:00.000Z");
  expect(age("2026-11-15T00:00:03.000Z", now)).toBe("now");
  expect(ago("2026-11-14T23:59:00.000Z", now)).toBe("1 min ago");
  expect(age("\u001b[2J", now)).toBe("?");
});
