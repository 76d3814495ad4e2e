import { expect, test } from "vitest";
import { graceEnd } from "./grace.ts";

const graces = { graceIdleMs: 10, graceOpenMs: 100 };

test("a holder with open work waits longer, from the time its host disconnected", () => {
  expect(graceEnd(graces, { hostGoneAt: 5, idleSince: null })).toBe(105);
});

test("an idle holder waits from the time when both host and work were gone", () => {
  expect(graceEnd(graces, { hostGoneAt: 5, idleSince: 2 })).toBe(15);
  expect(graceEnd(graces, { hostGoneAt: 5, idleSince: 90 })).toBe(100);
});
