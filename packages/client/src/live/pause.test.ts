import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { scriptedHost } from "../../test/scripted-host.ts";
import { when } from "../cell.ts";
import { TransportError } from "../errors.ts";
import { Feed } from "./feed.ts";
import { untilAnswered } from "./pause.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A host that cuts its sockets at once while `is.there` is false. */
async function fickle() {
  const is = { there: false };
  const host = await scriptedHost(
    (_, reply) => reply.json(200, {}),
    (side) =>
      side.onSaid(({ type }) => {
        if (!is.there) side.cut();
        else if (type === "ping") side.say({ type: "pong" });
      }),
  );
  const clock = new ManualClock();
  const access = { url: host.url, token: "secret" };
  const feed = new Feed({ access, clock, page: {}, open: (url) => new WebSocket(url) });
  closing.push(
    () => host.close(),
    () => feed.close(),
  );
  return { is, feed, clock };
}

test("a caller that waits for an unreachable host retries when the feed has found it, and not before", async () => {
  const { is, feed, clock } = await fickle();
  feed.start();
  const away = () => when(feed.connection, ({ state }) => state === "away");
  await away();
  let asked = 0;
  const ask = async () => {
    asked++;
    if (!is.there) throw new TransportError("Nobody is there.");
    return "answered";
  };
  const answer = untilAnswered({ feed, clock }, new AbortController().signal, ask);
  for (let round = 0; round < 5; round++) {
    clock.advance(10_000);
    await away();
  }
  expect(asked).toBe(1);
  is.there = true;
  clock.advance(10_000);
  expect(await answer).toBe("answered");
  expect(asked).toBe(2);
});

test("a caller that aborts does not wait until the host is back", async () => {
  const { feed, clock } = await fickle();
  feed.start();
  await when(feed.connection, ({ state }) => state === "away");
  const left = new AbortController();
  const answer = untilAnswered({ feed, clock }, left.signal, () =>
    Promise.reject(new TransportError("Nobody is there.")),
  );
  left.abort();
  expect(await answer).toBeNull();
});
