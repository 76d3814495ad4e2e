import { expect, test } from "vitest";
import { manualClock } from "../../testing/manual-clock.ts";
import { Buckets } from "./buckets.ts";

const taken = (buckets: Buckets, name: string, tries: number) =>
  Array.from({ length: tries }, () => buckets.take(name)).filter((refused) => refused === null)
    .length;

test("each name may take its burst at once and then its rate per second", () => {
  const clock = manualClock();
  const buckets = new Buckets({ burst: 10, perSecond: 2 }, clock);
  expect(taken(buckets, "a", 11)).toBe(10);
  expect(taken(buckets, "b", 11)).toBe(10);
  clock.advance(1500);
  expect(taken(buckets, "a", 5)).toBe(3);
  clock.advance(3_600_000);
  expect(taken(buckets, "a", 1000)).toBe(10);
});

test("a refusal says when to try again", () => {
  const clock = manualClock();
  const buckets = new Buckets({ burst: 1, perSecond: 0.1 }, clock);
  buckets.take("a");
  expect(buckets.take("a")).toMatchObject({ code: "rate_limited", details: { retryAfter: 10 } });
  clock.advance(9_000);
  expect(buckets.take("a")?.details).toEqual({ retryAfter: 1 });
  clock.advance(1_000);
  expect(buckets.take("a")).toBeNull();
});

test("a stepped wall clock refills no bucket", () => {
  const clock = manualClock();
  const buckets = new Buckets({ burst: 1, perSecond: 1 }, clock);
  buckets.take("a");
  clock.step(3_600_000);
  expect(buckets.take("a")).not.toBeNull();
});

test("a busy name stays limited among a hundred thousand others", () => {
  const clock = manualClock();
  const buckets = new Buckets({ burst: 2, perSecond: 1 }, clock);
  for (let n = 0; n < 100_000; n++) {
    buckets.take(`name ${n}`);
    if (n % 100 === 0) clock.advance(10_000);
  }
  buckets.take("busy");
  buckets.take("busy");
  for (let n = 0; n < 9_000; n++) buckets.take(`other ${n}`);
  expect(buckets.take("busy")).not.toBeNull();
});
