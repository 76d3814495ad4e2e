import { expect, test } from "vitest";
import { refuseClock } from "./clock.ts";

test("a host refuses to start with an implausible clock and says why", () => {
  for (const year of [1901, 1963, 1970, 2201]) {
    const said = new RegExp(`clock is wrong: it says ${year}-01-01. Set the clock`);
    expect(() => refuseClock(Date.UTC(year, 0))).toThrow(said);
  }
  refuseClock(Date.UTC(2026, 10, 16));
  refuseClock(Date.UTC(2126, 10, 16));
});
