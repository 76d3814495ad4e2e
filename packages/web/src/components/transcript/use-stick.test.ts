import { expect, test } from "vitest";
import { sticks } from "./use-stick.ts";

const was = (offset: number, most: number, isStuck = true) => ({ offset, most, isStuck });
const is = (offset: number, most: number, isByHand = true) => ({ offset, most, isByHand });

test("a growing list keeps its end in view while the reader does not scroll", () => {
  expect(sticks(was(500, 500), is(500, 900))).toBe(true);
});

test("a reader who scrolls up leaves the end, also while the list grows", () => {
  expect(sticks(was(500, 500), is(440, 500))).toBe(false);
  expect(sticks(was(500, 500), is(440, 900))).toBe(false);
});

test("a reader who comes back near the end is at the end", () => {
  expect(sticks(was(100, 500, false), is(480, 500))).toBe(true);
  expect(sticks(was(100, 500, false), is(300, 500))).toBe(false);
});

test("a growing window or a shrinking list stays at the end", () => {
  expect(sticks(was(500, 500), is(360, 400))).toBe(true);
});

test("a list that moves its rows by itself stays at the end", () => {
  expect(sticks(was(500, 500), is(440, 900, false))).toBe(true);
});
