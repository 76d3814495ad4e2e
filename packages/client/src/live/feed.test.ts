import { afterEach, describe, expect, test } from "vitest";
import { recorded } from "../../test/corpus.ts";
import { JournalHost, type JournalHostOptions } from "../../test/journal-host.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { type Answer, type SocketSide, scriptedHost } from "../../test/scripted-host.ts";
import { when } from "../cell.ts";
import { type Connection, Feed } from "./feed.ts";
import type { Heard } from "./heard.ts";
import type { WebSocketLike } from "./link.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

class FakePage {
  readonly window = new EventTarget();
  readonly document = Object.assign(new EventTarget(), { visibilityState: "visible" });
}

const openSocket = (url: string): WebSocketLike => new WebSocket(url);

function feedOf(url: string, open: typeof openSocket | null = openSocket) {
  const clock = new ManualClock();
  const page = new FakePage();
  const feed = new Feed({ access: { url, token: "secret" }, clock, page, open });
  closing.push(() => feed.close());
  const states: Connection[] = [];
  feed.connection.subscribe(() => states.push(feed.connection.getSnapshot()));
  const is = (...names: Connection["state"][]) =>
    when(feed.connection, ({ state }) => names.includes(state));
  return { feed, clock, page, states, is };
}

/** Follows like a store, and records the messages. */
function follow(feed: Feed, session: string, at = 0) {
  const heard: Heard[] = [];
  let position = at;
  const waiting = new Map<number, () => void>();
  const following = feed.follow(session, {
    position: () => position,
    hear(one) {
      heard.push(one);
      if (one.type === "events") position = one.events.at(-1)?.seq ?? position;
      for (const [seq, call] of waiting) if (position >= seq) call();
    },
  });
  const reaches = (seq: number) =>
    position >= seq ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(seq, resolve));
  const seqs = () =>
    heard.flatMap((one) => (one.type === "events" ? one.events.map(({ seq }) => seq) : []));
  return { heard, following, reaches, seqs };
}

async function journalHost(options?: JournalHostOptions) {
  const host = await JournalHost.open(recorded("completed").events, options);
  closing.push(() => host.close());
  return host;
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const types = ({ said }: SocketSide) => said.map(({ type }) => type);

/** A host whose first WebSocket the test controls. */
async function silentHost() {
  const side = Promise.withResolvers<SocketSide>();
  const host = await scriptedHost(() => undefined, side.resolve);
  closing.push(() => host.close());
  return { url: host.url, side: side.promise };
}

describe("one socket", () => {
  test("authenticates, then subscribes to all sessions and the list, each from its position", async () => {
    const { url, side } = await silentHost();
    const { feed } = feedOf(url);
    follow(feed, "sess_a", 7);
    follow(feed, "sess_b");
    feed.followList(() => undefined);
    await (await side).heard("subscribe_sessions");
    expect((await side).said).toEqual([
      { type: "auth", token: "secret" },
      { type: "ping" },
      { type: "subscribe", session: "sess_a", after: 7 },
      { type: "subscribe", session: "sess_b", after: 0 },
      { type: "subscribe_sessions" },
    ]);
  });

  test("counts the events it is behind until it has caught up", async () => {
    const host = await journalHost();
    const { feed, states, is } = feedOf(host.url);
    const { reaches, seqs } = follow(feed, host.session);
    await reaches(host.seq);
    await is("live");
    expect(seqs()).toEqual(upTo(host.seq));
    expect(states).toContainEqual({ state: "catching_up", behind: host.seq, via: "socket" });
    expect(states.at(-1)).toEqual({ state: "live", via: "socket" });
  });

  test("continues after a cut at its follower's position, without gap or duplicate [F28]", async () => {
    const host = await journalHost({ count: 4 });
    const { feed, clock, is } = feedOf(host.url);
    const { reaches, seqs } = follow(feed, host.session);
    await reaches(4);
    host.sockets[0]?.cut();
    expect(await is("away")).toMatchObject({ retryInMs: 250 });
    host.publish(3);
    clock.advance(250);
    await reaches(7);
    expect(seqs()).toEqual(upTo(7));
    expect(host.sockets[1]?.said).toContainEqual({
      type: "subscribe",
      session: host.session,
      after: 4,
    });
  });

  test("ignores late messages of a subscription that was replaced [F27]", async () => {
    const { url, side } = await silentHost();
    const { feed } = feedOf(url);
    const session = "sess_a";
    const followed = follow(feed, session);
    const host = await side;
    await host.heard("subscribe");
    followed.following.again();
    await host.heard("subscribe", 2);
    const events = (seq: number) => ({
      type: "events",
      session,
      events: [{ seq, kind: "x", ts: "" }],
    });
    const ack = { type: "subscribed", session, after: 0, seq: 1 };
    host.say(ack, events(9), ack, events(1));
    await followed.reaches(1);
    expect(followed.seqs()).toEqual([1]);
  });
});

describe("a loss", () => {
  test("is a state with a growing pause, and never an error", async () => {
    const host = await scriptedHost(
      (_, reply) => reply.hangUp(),
      (side) => side.cut(),
    );
    closing.push(() => host.close());
    const { feed, clock, states } = feedOf(host.url);
    follow(feed, "sess_a");
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const away = await when(feed.connection, ({ state }) => state === "away");
      if (away.state === "away") pauses.push(away.retryInMs);
      clock.advance(away.state === "away" ? away.retryInMs : 0);
    }
    expect(pauses).toEqual([250, 500, 1000, 2000]);
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(["connecting", "away"]));
  });

  test("of the credential is one state that stops all retries", async () => {
    let sockets = 0;
    const host = await scriptedHost(
      () => undefined,
      (side) => {
        sockets++;
        side.close(4401, "unauthorized");
      },
    );
    closing.push(() => host.close());
    const { feed, clock, page, is } = feedOf(host.url);
    follow(feed, "sess_a");
    expect(await is("unauthorized")).toMatchObject({ reason: "Sign in again." });
    page.window.dispatchEvent(new Event("online"));
    clock.advance(60_000);
    expect(sockets).toBe(1);
    expect(feed.connection.getSnapshot().state).toBe("unauthorized");
  });

  test("without a report is detected: a half-open socket is pinged, and replaced when it stays silent [U9] [F31]", async () => {
    const sides: SocketSide[] = [];
    const host = await scriptedHost(
      (_, reply) => reply.json(200, {}),
      (side) => {
        sides.push(side);
        side.onSaid(({ type }) => {
          // The first socket answers once, and then stays silent without closing.
          const pings = side.said.filter((said) => said.type === "ping").length;
          if (type === "ping" && (sides.length > 1 || pings === 1)) side.say({ type: "pong" });
        });
      },
    );
    closing.push(() => host.close());
    const { feed, clock, is } = feedOf(host.url);
    follow(feed, "sess_a");
    await is("live");
    clock.advance(20_000);
    expect(feed.connection.getSnapshot().state).toBe("live");
    clock.advance(4_000);
    expect(feed.connection.getSnapshot()).toMatchObject({ state: "away" });
    clock.advance(250);
    await is("live");
    expect(sides).toHaveLength(2);
  });

  test("is detected in seconds while a caller waits for an answer, and not after the whole silence [U9]", async () => {
    const { url, side } = await silentHost();
    const { feed, clock, is } = feedOf(url);
    follow(feed, "sess_a");
    const host = await side;
    await host.heard("ping");
    host.say({ type: "pong" });
    await is("live");
    feed.ask();
    await host.heard("ping", 2);
    clock.advance(3_999);
    expect(feed.connection.getSnapshot().state).toBe("live");
    clock.advance(1);
    expect(feed.connection.getSnapshot()).toMatchObject({ state: "away" });
  });

  test("of the network is reported at once when the device knows, and a host that is still there is found again", async () => {
    const host = await journalHost();
    const { feed, clock, page, is } = feedOf(host.url);
    const { reaches, seqs } = follow(feed, host.session);
    await reaches(host.seq);
    await is("live");
    page.window.dispatchEvent(new Event("offline"));
    expect(feed.connection.getSnapshot()).toMatchObject({
      state: "away",
      reason: "This device is offline.",
    });
    expect(feed.isReachable).toBe(false);
    clock.advance(250);
    await is("live");
    expect(feed.isReachable).toBe(true);
    expect(seqs()).toEqual(upTo(host.seq));
  });

  test("of the network makes streams start again at their position", async () => {
    const host = await journalHost();
    const { feed, page, is } = feedOf(host.url, null);
    const { reaches, seqs } = follow(feed, host.session);
    await reaches(host.seq);
    await is("live");
    page.window.dispatchEvent(new Event("offline"));
    expect(feed.connection.getSnapshot().state).toBe("connecting");
    await is("live");
    expect(seqs()).toEqual(upTo(host.seq));
  });

  test("keeps callers waiting until the host answers: a wake alone is not enough", async () => {
    const sides: SocketSide[] = [];
    const host = await scriptedHost(
      (_, reply) => reply.json(200, {}),
      (side) => {
        sides.push(side);
        side.onSaid(({ type }) => type === "ping" && side.say({ type: "pong" }));
      },
    );
    closing.push(() => host.close());
    const { feed, clock, page, is } = feedOf(host.url);
    let tries = 0;
    feed.onWake(() => tries++);
    feed.start();
    await is("live");
    expect(tries).toBe(1);
    page.window.dispatchEvent(new Event("pageshow"));
    expect(tries).toBe(2);
    sides[0]?.cut();
    await is("away");
    page.window.dispatchEvent(new Event("pageshow"));
    expect(tries).toBe(2);
    clock.advance(500);
    await is("live");
    expect(tries).toBe(3);
  });
});

describe("a wake", () => {
  const signals: Record<string, (page: FakePage) => void> = {
    online: ({ window }) => window.dispatchEvent(new Event("online")),
    pageshow: ({ window }) => window.dispatchEvent(new Event("pageshow")),
    visibilitychange: ({ document }) => document.dispatchEvent(new Event("visibilitychange")),
    resume: ({ document }) => document.dispatchEvent(new Event("resume")),
  };

  test.each(Object.keys(signals))("by %s ends the pause at once [F31] [U10]", async (name) => {
    const host = await journalHost({ count: 4 });
    const { feed, clock, page, is } = feedOf(host.url);
    const { reaches, seqs } = follow(feed, host.session);
    await reaches(4);
    host.sockets[0]?.cut();
    await is("away");
    host.publish(2);
    clock.jump(1_000);
    signals[name]?.(page);
    clock.advance(0);
    await reaches(6);
    expect(seqs()).toEqual(upTo(6));
  });

  /** A live page whose socket is dead without having noticed. */
  async function deafened() {
    const host = await journalHost();
    const all = feedOf(host.url);
    await follow(all.feed, host.session).reaches(host.seq);
    await all.is("live");
    const [side] = host.sockets;
    if (side !== undefined) side.say = () => undefined;
    return { host, ...all };
  }

  test("detects a socket that died while the page slept, even if it looks open [F31] [U10]", async () => {
    const { host, clock, page, is } = await deafened();
    page.window.dispatchEvent(new Event("pageshow"));
    clock.advance(4_000);
    await is("away");
    clock.advance(250);
    await is("live");
    expect(host.sockets).toHaveLength(2);
  });

  test("by a clock jump detects it too, when no event reported the sleep [F31] [U10]", async () => {
    const { clock, is } = await deafened();
    clock.sleep(60_000);
    clock.advance(5_000 + 4_000);
    await is("away");
  });

  test("of a thawed page, with every signal at once, opens one connection [U12]", async () => {
    const host = await journalHost({ count: 4 });
    const { feed, clock, page, is } = feedOf(host.url);
    const { reaches } = follow(feed, host.session);
    await reaches(4);
    host.sockets[0]?.cut();
    await is("away");
    clock.jump(16 * 60_000);
    for (let n = 0; n < 20; n++) for (const signal of Object.values(signals)) signal(page);
    clock.advance(5_000);
    await is("live");
    expect(host.sockets).toHaveLength(2);
  });

  test("that repeats does not cause a reconnect loop when every attempt fails at once", async () => {
    let sockets = 0;
    const host = await scriptedHost(
      (_, reply) => reply.hangUp(),
      (side) => {
        sockets++;
        side.cut();
      },
    );
    closing.push(() => host.close());
    const { feed, clock, is } = feedOf(host.url);
    follow(feed, "sess_a");
    for (let n = 0; n < 10; n++) {
      await is("away");
      feed.wake();
      clock.advance(100);
    }
    await is("away");
    expect(sockets).toBeLessThanOrEqual(3);
  });

  test("does not happen on a hidden page", async () => {
    const host = await journalHost({ count: 4 });
    const { feed, clock, page, is } = feedOf(host.url);
    await follow(feed, host.session).reaches(4);
    host.sockets[0]?.cut();
    await is("away");
    page.document.visibilityState = "hidden";
    page.document.dispatchEvent(new Event("visibilitychange"));
    clock.advance(0);
    expect(feed.connection.getSnapshot().state).toBe("away");
  });

  test("resets the pauses", async () => {
    const host = await scriptedHost(
      (_, reply) => reply.hangUp(),
      (side) => side.cut(),
    );
    closing.push(() => host.close());
    const { feed, clock } = feedOf(host.url);
    follow(feed, "sess_a");
    const pause = async () => {
      const away = await when(feed.connection, ({ state }) => state === "away");
      return away.state === "away" ? away.retryInMs : 0;
    };
    for (let n = 0; n < 3; n++) clock.advance(await pause());
    expect(await pause()).toBe(2000);
    clock.jump(1_000);
    feed.wake();
    clock.advance(0);
    expect(await pause()).toBe(250);
  });
});

describe("without WebSockets", () => {
  test("because a proxy refuses them, streams are used after the second refusal", async () => {
    const host = await journalHost({ sockets: false });
    const { feed, clock, is } = feedOf(host.url);
    const { reaches, seqs } = follow(feed, host.session);
    await is("away");
    const tried = async () => {
      while (host.count("health") < 2) {
        clock.advance(500);
        await new Promise(setImmediate);
      }
    };
    await tried();
    await reaches(host.seq);
    expect(seqs()).toEqual(upTo(host.seq));
    expect(await is("live")).toEqual({ state: "live", via: "stream" });
  });

  test("because the platform has none, streams are used at once, and the list is polled", async () => {
    const host = await journalHost();
    const { feed, clock, is } = feedOf(host.url, null);
    const { reaches, heard } = follow(feed, host.session, 2);
    let stale = 0;
    feed.followList(() => stale++);
    await reaches(host.seq);
    expect(await is("live")).toEqual({ state: "live", via: "stream" });
    expect(heard[0]).toEqual({ type: "following", after: 2, seq: null });
    expect(heard[1]).toMatchObject({ type: "heartbeat", seq: 2 });
    expect(host.sockets).toEqual([]);
    clock.advance(30_000);
    expect(stale).toBe(3);
  });

  /** A feed without sockets, and a count of its wake-ups. */
  async function streamHost(answer: Answer) {
    const host = await scriptedHost(answer);
    closing.push(() => host.close());
    const all = feedOf(host.url, null);
    let tries = 0;
    all.feed.onWake(() => tries++);
    return { ...all, host, tries: () => tries };
  }

  test("no caller is kept waiting when the last disconnected stream's session is closed [F26]", async () => {
    const { feed, is, tries } = await streamHost((_, reply) => reply.hangUp());
    const { following } = follow(feed, "sess_a");
    await is("away");
    const before = tries();
    following.stop();
    expect(feed.isReachable).toBe(true);
    expect(tries()).toBe(before + 1);
  });

  test("a host that was away and refuses counts as reachable, and is asked once more on a wake [F26]", async () => {
    let isBack = false;
    const { feed, clock, host, is, tries } = await streamHost((_, reply) =>
      isBack ? reply.problem(404, "session_not_found", "It is gone.") : reply.hangUp(),
    );
    const { heard } = follow(feed, "sess_a");
    await is("away");
    const before = tries();
    isBack = true;
    clock.advance(10_000);
    await is("live");
    expect(feed.isReachable).toBe(true);
    expect(tries()).toBe(before + 1);
    expect(heard).toMatchObject([{ type: "refused", error: { status: 404 } }]);
    const asked = host.asked.length;
    feed.wake();
    await expect.poll(() => [host.asked.length, heard.length]).toEqual([asked + 1, 2]);
  });

  test("a host that is merely down is not mistaken for one behind such a proxy", async () => {
    const host = await scriptedHost((_, reply) => reply.hangUp());
    const { feed, clock, states } = feedOf(host.url);
    await host.close();
    follow(feed, "sess_a");
    for (let n = 0; n < 4; n++) {
      await when(feed.connection, ({ state }) => state === "away");
      clock.advance(10_000);
    }
    expect(states.some((state) => "via" in state)).toBe(false);
  });
});

test("a host that restarts is disconnected at once and found again", async () => {
  const host = await journalHost({ count: 4 });
  const { feed, clock, is } = feedOf(host.url);
  const { reaches } = follow(feed, host.session);
  await reaches(4);
  host.say({ type: "end", reason: "restart", seq: 4 });
  await is("away");
  host.publish(1);
  clock.advance(250);
  await reaches(5);
  expect(types(host.sockets[1] as SocketSide)).toContain("subscribe");
});
