import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { Holdfast, memoryStorage } from "@holdfast/client";
import { expect, test } from "vitest";
import { type EarlyPlace, earlyReply, takeEarly } from "./early.ts";

const script = readFileSync(new URL("../public/early.js", import.meta.url), "utf8");
const LIST = "/api/sessions?limit=50";

/** A signed-in device that runs `early.js` and records its requests. */
function device(place: EarlyPlace = {}, hash = "") {
  const asked: string[] = [];
  const context = Object.assign(place, {
    localStorage: { getItem: () => JSON.stringify({ token: "secret" }) },
    location: { pathname: "/s/sess_1", hash },
    fetch: async (path: string) => {
      asked.push(path);
      return new Response(path);
    },
    Map,
  });
  return { place, asked, run: () => runInNewContext(script, context) };
}

test("early replies are taken all at once, and each is used once", async () => {
  const { place, asked, run } = device();
  run();
  expect(asked).toEqual([LIST, "/api/sessions/sess_1/transcript?tail=50"]);
  const early = takeEarly(place);
  const ask = () => earlyReply(early, { path: LIST, method: "GET", age: 100 });
  expect(await (await ask())?.text()).toBe(LIST);
  expect(ask()).toBeUndefined();
  expect(takeEarly(place).size).toBe(0);
});

test("early requests are the same as the first requests of the page's own code", async () => {
  const early = device();
  early.run();
  const asked = new Set<string>();
  const url = "http://host.test";
  const holdfast = new Holdfast({
    url,
    token: "secret",
    openSocket: null,
    keyValues: null,
    locks: null,
    channel: null,
    outboxStorage: Promise.resolve(memoryStorage()),
    fetch(asking) {
      asked.add(asking.slice(url.length));
      return new Promise(() => undefined);
    },
  });
  const stops = [
    holdfast.session("sess_1").subscribe(() => undefined),
    holdfast.sessions().subscribe(() => undefined),
  ];
  await expect.poll(() => [...asked]).toEqual(expect.arrayContaining(early.asked));
  for (const stop of stops) stop();
  holdfast.close();
});

test("an early.js that runs after the page's own code makes no request", () => {
  const { place, asked, run } = device();
  const early = takeEarly(place);
  run();
  expect(asked).toEqual([]);
  expect(place.holdfastEarly).toBeNull();
  expect(early.size).toBe(0);
});

test("a page opened by a sign-in link makes no early request with the old credential", () => {
  const { asked, run } = device({}, "#link");
  run();
  expect(asked).toEqual([]);
});

test("an early reply serves only a GET, and only for a short time", () => {
  const reply = Promise.resolve(new Response());
  const late = { path: LIST, method: "GET", age: 10_000 };
  expect(earlyReply(new Map([[LIST, reply]]), late)).toBeUndefined();
  const posted = { path: LIST, method: "POST", age: 0 };
  expect(earlyReply(new Map([[LIST, reply]]), posted)).toBeUndefined();
});
