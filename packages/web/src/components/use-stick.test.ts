import { expect, test } from "vitest";
import { sticks } from "./use-stick.ts";

const at = (offset: number, most: number, isStuck = true) => ({ offset, most, isStuck });

test("the end is kept in sight while a list grows under a reader who does nothing", () => {
  expect(sticks(at(500, 500), at(500, 900))).toBe(true);
});

test("a reader who goes up leaves the end, also while it grows", () => {
  expect(sticks(at(500, 500), at(440, 500))).toBe(false);
  expect(sticks(at(500, 500), at(440, 900))).toBe(false);
});

test("a reader who comes back near the end is at the end", () => {
  expect(sticks(at(100, 500, false), at(480, 500))).toBe(true);
  expect(sticks(at(100, 500, false), at(300, 500))).toBe(false);
});

test("a window that grows, or a list that shrinks, makes nobody a reader", () => {
  expect(sticks(at(500, 500), at(360, 400))).toBe(true);
});
