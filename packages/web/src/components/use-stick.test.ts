import { expect, test } from "vitest";
import { sticks } from "./use-stick.ts";

const was = (offset: number, most: number, isStuck = true) => ({ offset, most, isStuck });
const is = (offset: number, most: number, isByHand = true) => ({ offset, most, isByHand });

test("the end is kept in sight while a list grows under a reader who does nothing", () => {
  expect(sticks(was(500, 500), is(500, 900))).toBe(true);
});

test("a reader who goes up leaves the end, also while it grows", () => {
  expect(sticks(was(500, 500), is(440, 500))).toBe(false);
  expect(sticks(was(500, 500), is(440, 900))).toBe(false);
});

test("a reader who comes back near the end is at the end", () => {
  expect(sticks(was(100, 500, false), is(480, 500))).toBe(true);
  expect(sticks(was(100, 500, false), is(300, 500))).toBe(false);
});

test("a window that grows, or a list that shrinks, makes nobody a reader", () => {
  expect(sticks(was(500, 500), is(360, 400))).toBe(true);
});

test("a list that moves its rows by itself makes nobody a reader", () => {
  expect(sticks(was(500, 500), is(440, 900, false))).toBe(true);
});
