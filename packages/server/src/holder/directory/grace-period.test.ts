import { expect, test } from "vitest";
import { gracePeriodEnd } from "./grace-period.ts";

const periods = { graceIdleMs: 10, graceOpenMs: 100 };

test("a holder with open work waits longer, from the time its host disconnected", () => {
  expect(gracePeriodEnd(periods, { hostGoneAt: 5, idleSince: null })).toBe(105);
});

test("an idle holder waits from the time when both host and work were gone", () => {
  expect(gracePeriodEnd(periods, { hostGoneAt: 5, idleSince: 2 })).toBe(15);
  expect(gracePeriodEnd(periods, { hostGoneAt: 5, idleSince: 90 })).toBe(100);
});
