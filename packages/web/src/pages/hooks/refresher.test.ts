import { ApiError, TransportError } from "@holdfast/client";
import { expect, test } from "vitest";
import { ManualClock } from "../../../../client/test/manual-clock.ts";
import { BUSY_MS, REST_MS, Refresher } from "./refresher.ts";

/** A `Looking` whose replies the test controls, and the results it has shown. */
function refreshed() {
  const clock = new ManualClock();
  const asked: PromiseWithResolvers<string>[] = [];
  const signals: AbortSignal[] = [];
  const shown: string[] = [];
  const refresher = new Refresher<string>(
    {
      ask(signal) {
        const reply = Promise.withResolvers<string>();
        asked.push(reply);
        signals.push(signal);
        return reply.promise;
      },
      onFound: (found) => shown.push(found),
      onProblem: (problem) => shown.push(`problem: ${problem}`),
    },
    clock,
  );
  /** Answers the latest request, and waits until the pause after it has begun. */
  const answers = async (said: string | Error) => {
    const rests = clock.pauses.length;
    if (typeof said === "string") asked.at(-1)?.resolve(said);
    else asked.at(-1)?.reject(said);
    await expect.poll(() => clock.pauses.length).toBe(rests + 1);
  };
  return { refresher, clock, asked, signals, shown, answers };
}

test("many calls of again cause one request at once, and one more after the pause", async () => {
  const { refresher, clock, asked, signals, shown, answers } = refreshed();
  for (let call = 0; call < 10; call++) refresher.again();
  expect(asked).toHaveLength(1);
  expect(signals[0]?.aborted).toBe(false);
  await answers("first");
  for (let call = 0; call < 10; call++) refresher.again();
  clock.advance(REST_MS - 1);
  expect(asked).toHaveLength(1);
  clock.advance(1);
  expect(asked).toHaveLength(2);
  await answers("last");
  clock.advance(60_000);
  expect(asked).toHaveLength(2);
  expect(shown).toEqual(["first", "last"]);
});

test("after a quiet pause the next request is made at once", async () => {
  const { refresher, clock, asked, answers } = refreshed();
  refresher.again();
  await answers("first");
  clock.advance(REST_MS);
  refresher.again();
  expect(asked).toHaveLength(2);
});

test("a rate-limited request shows no problem and is repeated later", async () => {
  const { refresher, clock, asked, shown, answers } = refreshed();
  refresher.again();
  await answers(new ApiError(429, "rate_limited", "Too many."));
  clock.advance(BUSY_MS - 1);
  expect(asked).toHaveLength(1);
  clock.advance(1);
  expect(asked).toHaveLength(2);
  await answers("found");
  expect(shown).toEqual(["found"]);
});

test("a refusal is shown, and a lost connection is not", async () => {
  const { refresher, clock, shown, answers } = refreshed();
  refresher.again();
  await answers(new TransportError("Nobody is there."));
  clock.advance(REST_MS);
  refresher.again();
  await answers(new ApiError(404, "no_such_file", "It is gone."));
  expect(shown).toEqual(["problem: It is gone."]);
});

test("a reply after close is dropped", async () => {
  const { refresher, clock, asked, signals, shown } = refreshed();
  refresher.again();
  refresher.again();
  refresher.close();
  expect(signals[0]?.aborted).toBe(true);
  asked[0]?.resolve("late");
  await asked[0]?.promise;
  clock.advance(60_000);
  expect([asked.length, shown]).toEqual([1, []]);
});
