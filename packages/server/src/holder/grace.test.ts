import { expect, test } from "vitest";
import { graceEnd } from "./grace.ts";

const graces = { graceIdleMs: 10, graceOpenMs: 100 };

test("with something open a holder waits longer, from when its host went", () => {
  expect(graceEnd(graces, { hostGoneAt: 5, idleSince: null })).toBe(105);
});

test("an idle one waits from when both host and work were gone", () => {
  expect(graceEnd(graces, { hostGoneAt: 5, idleSince: 2 })).toBe(15);
  expect(graceEnd(graces, { hostGoneAt: 5, idleSince: 90 })).toBe(100);
});
