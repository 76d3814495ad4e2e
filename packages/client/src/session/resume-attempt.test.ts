import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { type Answer, scriptedHost } from "../../test/scripted-host.ts";
import { when } from "../cell.ts";
import { createClient } from "../client.ts";
import { Feed } from "../live/feed.ts";
import { ResumeAttempt } from "./resume-attempt.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function attempt(answer: Answer) {
  const host = await scriptedHost(answer);
  const clock = new ManualClock();
  const access = { url: host.url, token: "secret" };
  const client = createClient({ ...access, timers: clock, tries: 1 });
  const feed = new Feed({ access, clock, page: {}, open: null });
  closing.push(
    () => host.close(),
    () => feed.close(),
  );
  const one = new ResumeAttempt({ session: "s", client, feed, clock, locks: null });
  const asked = () => host.asked.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
  const bodies = () => host.asked.flatMap(({ method, body }) => (method === "POST" ? body : []));
  return { one, clock, feed, asked, bodies };
}

const asleep = { needsResume: true, isResumable: true };

test("an attempt asks for the status, then for a resume, once for any number of starts [R004-6] [R004-7]", async () => {
  const { one, asked, bodies } = await attempt(({ method }, reply) =>
    reply.json(200, method === "GET" ? asleep : { resume: { rung: "native" } }),
  );
  one.start();
  one.leave();
  one.start();
  one.start();
  expect(await when(one, ({ state }) => state === "resumed")).toMatchObject({
    resume: { rung: "native" },
  });
  one.start();
  expect(asked()).toEqual(["GET status", "POST resume"]);
  // Opening only revives the agent: a person decides whether work continues.
  expect(bodies()).toEqual(["{}"]);
});

test.each([
  [{ needsResume: false, isResumable: true }, "not_needed"],
  [{ needsResume: true, isResumable: false }, "not_possible"],
  [{ needsResume: false, isResumable: false }, "not_needed"],
])("asks for nothing where the status is %o [R004-6]", async (status, state) => {
  const { one, asked } = await attempt((_, reply) => reply.json(200, status));
  one.start();
  expect(await when(one, (value) => value.state !== "checking")).toMatchObject({ state, status });
  expect(asked()).toEqual(["GET status"]);
});

test("an attempt treats a failed launch as an answer, and does not launch again", async () => {
  const { one, clock, feed, asked } = await attempt(({ method }, reply) =>
    method === "GET" ? reply.json(200, asleep) : reply.problem(502, "launch_failed", "No agent."),
  );
  one.start();
  expect(await when(one, ({ state }) => state === "refused")).toMatchObject({
    code: "launch_failed",
    message: "No agent.",
  });
  feed.wake();
  clock.advance(60_000);
  expect(asked()).toEqual(["GET status", "POST resume"]);
});

test("an attempt waits for an unreachable host, until its page is left", async () => {
  let isUp = false;
  const { one, clock, feed, asked } = await attempt((_, reply) =>
    isUp ? reply.json(200, { needsResume: false }) : reply.hangUp(),
  );
  one.start();
  while (asked().length < 3) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(one.getSnapshot()).toEqual({ state: "checking" });
  one.leave();
  clock.advance(1_000);
  isUp = true;
  feed.wake();
  await new Promise(setImmediate);
  expect(one.getSnapshot()).toEqual({ state: "checking" });
});
