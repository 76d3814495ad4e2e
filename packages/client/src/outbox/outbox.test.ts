import { IDBFactory } from "fake-indexeddb";
import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import {
  type Answer,
  type ScriptedHost,
  type SocketSide,
  scriptedHost,
} from "../../test/scripted-host.ts";
import { when } from "../cell.ts";
import { createClient } from "../client.ts";
import { Feed } from "../live/feed.ts";
import type { OpenSocket } from "../live/link.ts";
import type { Locks } from "../locks.ts";
import { openOutboxStorage } from "./indexed-db.ts";
import type { Action, OutboxStorage } from "./item.ts";
import { memoryStorage } from "./memory.ts";
import { type Channel, Outbox, type OutboxItem } from "./outbox.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function hostOf(answer: Answer): Promise<ScriptedHost> {
  const host = await scriptedHost(answer);
  closing.push(() => host.close());
  return host;
}

interface TabOptions {
  readonly storage?: Promise<OutboxStorage>;
  readonly locks?: Locks | null;
  readonly open?: OpenSocket | null;
  readonly channel?: Channel | null;
  readonly reached?: (session: string, seq: number) => Promise<unknown>;
}

let ids = 0;

function tab({ url }: { url: string }, options: TabOptions = {}) {
  const { storage = Promise.resolve(memoryStorage()), locks = null } = options;
  const { open = null, channel = null, reached = async () => undefined } = options;
  const clock = new ManualClock();
  const access = { url, token: "secret" };
  const client = createClient({ ...access, timers: clock, tries: 1 });
  const feed = new Feed({ access, clock, page: {}, open });
  const newId = () => `key-${++ids}`;
  const outbox = new Outbox({ client, feed, clock, storage, locks, channel, newId, reached });
  closing.push(
    () => outbox.close(),
    () => feed.close(),
  );
  const items = (is: (items: readonly OutboxItem[]) => boolean) =>
    when(outbox, (snapshot) => snapshot.isLasting !== null && is(snapshot.items));
  return { outbox, clock, feed, items, empty: () => items((all) => all.length === 0) };
}

const message = (content: string): Action => ({ type: "message", content });
const contents = (host: ScriptedHost) =>
  host.asked.map(({ body }) => (JSON.parse(body) as { content?: string }).content);
const disk = () => {
  const factory = new IDBFactory();
  return () => openOutboxStorage({ factory, name: "outbox", timers: new ManualClock() });
};

describe("an item in the outbox", () => {
  test("is stored first, then sent with its key and its precondition, and removed when the host has it", async () => {
    const host = await hostOf(({ path }, reply) => {
      if (path.includes("/approvals/")) reply.json(200, { success: true, approval: {} });
      else if (path.endsWith("/cancel")) reply.json(200, { success: true, run: {} });
      else reply.json(202, {});
    });
    const { outbox, empty } = tab(host);
    const sent = await outbox.add("s", message("hello"));
    const answer = { runId: "r", approvalId: "a", decision: "allow", digest: "d" } as const;
    await outbox.add("s", { type: "approval", ...answer });
    await outbox.add("s", { type: "cancel", runId: "r" });
    await empty();
    expect(host.asked.map(({ path }) => path)).toEqual([
      "/api/sessions/s/messages",
      "/api/runs/r/approvals/a",
      "/api/runs/r/cancel",
    ]);
    const [first, second] = host.asked.map(({ body }) => JSON.parse(body));
    expect(first).toEqual({ content: "hello", clientId: sent.id });
    expect(second).toEqual({ decision: "allow", digest: "d" });
    expect(host.asked[0]?.headers["idempotency-key"]).toBe(sent.id);
  });

  test("that the host accepted stays until the session's store shows it, and is not stored", async () => {
    const host = await hostOf((_, reply) => reply.json(202, { seq: 7 }));
    const storage = memoryStorage();
    const shown = Promise.withResolvers<void>();
    const awaited: [string, number][] = [];
    const reached = (session: string, seq: number) => {
      awaited.push([session, seq]);
      return shown.promise;
    };
    const { outbox, items, empty } = tab(host, { storage: Promise.resolve(storage), reached });
    await outbox.add("s", message("hello"));
    const [item] = (await items((all) => all[0]?.state === "accepted")).items;
    expect(item).toMatchObject({ seq: 7, session: "s", action: { content: "hello" } });
    await expect.poll(() => storage.all()).toEqual([]);
    expect(awaited).toEqual([["s", 7]]);
    shown.resolve();
    await empty();
  });

  test("waits for an unreachable host, and is sent in order when it is back [F26]", async () => {
    let isUp = false;
    const host = await hostOf((_, reply) => (isUp ? reply.json(202, {}) : reply.hangUp()));
    const { outbox, feed, items, empty } = tab(host);
    for (const content of ["one", "two", "three"]) await outbox.add("s", message(content));
    const [first, second] = (await items((all) => all[0]?.problem != null)).items;
    expect([first?.state, second?.state]).toEqual(["waiting", "waiting"]);
    isUp = true;
    feed.wake();
    await empty();
    expect(contents(host).slice(-3)).toEqual(["one", "two", "three"]);
    expect(new Set(contents(host).slice(0, -3))).toEqual(new Set(["one"]));
    const keys = new Set(host.asked.map(({ headers }) => headers["idempotency-key"]));
    expect(keys.size).toBe(3);
  });

  test("of one session does not wait for another's", async () => {
    const stuck = Promise.withResolvers<void>();
    const host = await hostOf(async ({ path }, reply) => {
      if (path.includes("/slow/")) await stuck.promise;
      reply.json(202, {});
    });
    const { outbox, items, empty } = tab(host);
    await outbox.add("slow", message("first"));
    await outbox.add("fast", message("second"));
    await items((all) => all.length === 1 && all[0]?.session === "slow");
    stuck.resolve();
    await empty();
  });

  test("is shown with the host's refusal, and stays until it is dismissed", async () => {
    const host = await hostOf(({ body }, reply) =>
      body.includes("bad")
        ? reply.problem(410, "session_ended", "It is over.")
        : reply.json(202, {}),
    );
    const { outbox, items, empty } = tab(host);
    await outbox.add("s", message("bad"));
    await outbox.add("s", message("good"));
    const { items: left } = await items((all) => all.length === 1 && all[0]?.state === "refused");
    expect(left[0]?.refusal).toEqual({ code: "session_ended", message: "It is over." });
    expect(contents(host)).toEqual(["bad", "good"]);
    expect(await outbox.dismiss(left[0]?.n ?? 0)).toBe(true);
    await empty();
  });

  test("is retried when the person asks for it", async () => {
    let isFull = true;
    const host = await hostOf((_, reply) =>
      isFull ? reply.problem(409, "cancel_pending", "Wait.") : reply.json(202, {}),
    );
    const { outbox, items, empty } = tab(host);
    const { n } = await outbox.add("s", message("again"));
    await items((all) => all[0]?.state === "refused");
    isFull = false;
    await outbox.retry(n);
    await empty();
    expect(contents(host)).toEqual(["again", "again"]);
  });

  test("with an answer is refused when another answer was first", async () => {
    const stands = { decision: "deny", by: "phone" };
    const host = await hostOf((_, reply) => reply.json(200, { success: false, approval: stands }));
    const { outbox, items } = tab(host);
    const answer = { runId: "r", approvalId: "a", decision: "allow", digest: "d" } as const;
    await outbox.add("s", { type: "approval", ...answer });
    const { items: left } = await items((all) => all[0]?.state === "refused");
    expect(left[0]?.refusal?.message).toContain("already answered by phone: deny");
  });

  test("with a cancel is accepted when the run was cancelled, and refused when it was over", async () => {
    const host = await hostOf(({ path }, reply) => {
      const outcome = path.includes("/mine/") ? "cancelled" : "completed";
      reply.json(200, { success: false, run: { outcome, status: outcome } });
    });
    const { outbox, items } = tab(host);
    await outbox.add("s", { type: "cancel", runId: "mine" });
    await outbox.add("s", { type: "cancel", runId: "over" });
    const { items: left } = await items((all) => all.length === 1 && all[0]?.state === "refused");
    expect(left[0]).toMatchObject({ action: { runId: "over" }, refusal: { code: "not_open" } });
  });

  test("is not sent with an invalid credential, and is kept", async () => {
    const host = await hostOf((_, reply) => reply.problem(401, "unauthorized", "Sign in again."));
    const { outbox, clock, items } = tab(host);
    await outbox.add("s", message("later"));
    const { items: left } = await items((all) => all[0]?.problem === "Sign in again.");
    expect(left[0]?.state).toBe("waiting");
    clock.advance(60_000);
    expect(host.asked).toHaveLength(1);
  });
});

const openSocket: OpenSocket = (url) => new WebSocket(url);
const posts = ({ asked }: ScriptedHost) => asked.filter(({ method }) => method === "POST");

/** A host that accepts messages, and whose sockets work while `isThere` returns true. */
async function socketHost(answer: Answer, isThere: () => boolean) {
  const sides: SocketSide[] = [];
  const host = await scriptedHost(answer, (side) => {
    sides.push(side);
    side.onSaid(({ type }) => {
      if (!isThere()) side.cut();
      else if (type === "ping") side.say({ type: "pong" });
    });
  });
  closing.push(() => host.close());
  return { host, sides };
}

describe("while the host is unreachable", () => {
  test("items are not sent and rows do not change, and all are sent when the host is back [F26]", async () => {
    let isThere = true;
    const { host, sides } = await socketHost(
      (_, reply) => (isThere ? reply.json(202, {}) : reply.hangUp()),
      () => isThere,
    );
    const { outbox, feed, clock, empty } = tab(host, { open: openSocket });
    feed.start();
    await when(feed.connection, ({ state }) => state === "live");
    isThere = false;
    sides[0]?.cut();
    await when(feed.connection, ({ state }) => state === "away");
    const seen = new Set<string>();
    closing.push(
      outbox.subscribe(() => {
        for (const { state } of outbox.getSnapshot().items) seen.add(state);
      }),
    );
    for (const session of ["a", "b", "c"]) await outbox.add(session, message(session));
    for (let round = 0; round < 5; round++) {
      clock.advance(10_000);
      feed.wake();
      await when(feed.connection, ({ state }) => state === "away");
    }
    expect(posts(host)).toEqual([]);
    expect(outbox.getSnapshot().items[0]?.problem).toBe("The host is not reachable.");
    // Items that were never sent can be withdrawn.
    expect(outbox.getSnapshot().items.some(({ mayHaveArrived }) => mayHaveArrived)).toBe(false);
    expect(seen).toEqual(new Set(["waiting"]));
    isThere = true;
    clock.advance(10_000);
    await empty();
    expect(new Set(contents({ ...host, asked: posts(host) }))).toEqual(new Set(["a", "b", "c"]));
    expect(posts(host)).toHaveLength(3);
  });

  test("items in flight are aborted in seconds, and sent again under their key [F26]", async () => {
    let isDeaf = false;
    const { host } = await socketHost(
      (_, reply) => {
        if (!isDeaf) reply.json(202, {});
      },
      () => true,
    );
    const deaf: OpenSocket = (url) => {
      const socket = new WebSocket(url);
      return {
        send: (text) => !isDeaf && socket.send(text),
        close: (code) => socket.close(code),
        addEventListener: (type, call) => socket.addEventListener(type, call),
      };
    };
    const { outbox, feed, clock, items, empty } = tab(host, { open: deaf });
    feed.start();
    await when(feed.connection, ({ state }) => state === "live");
    isDeaf = true;
    await outbox.add("s", message("hi"));
    await expect.poll(() => posts(host).length).toBe(1);
    clock.advance(4_000);
    const { items: left } = await items((all) => all[0]?.problem != null);
    expect(left[0]).toMatchObject({ state: "waiting", problem: "The connection was lost." });
    expect(left[0]?.mayHaveArrived).toBe(true);
    isDeaf = false;
    clock.advance(250);
    await empty();
    const keys = posts(host).map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });
});

describe("a host that answers, but accepts no item", () => {
  test("is retried after one growing pause for all waiting items", async () => {
    let isBusy = true;
    const host = await hostOf((_, reply) =>
      isBusy ? reply.problem(503, "journal_closed", "Soon.") : reply.json(202, {}),
    );
    const { outbox, clock, empty } = tab(host);
    const retries = () => clock.pauses.filter((ms) => ms <= 10_000);
    const waiting = () => outbox.getSnapshot().items.filter(({ state }) => state === "waiting");
    const settled = (count: number) =>
      expect
        .poll(() => [host.asked.length, retries().length, waiting().length])
        .toEqual([5 * count, count, 5]);
    for (const session of ["a", "b", "c", "d", "e"]) await outbox.add(session, message(session));
    await settled(1);
    clock.advance(250);
    await settled(2);
    expect(retries()).toEqual([250, 500]);
    isBusy = false;
    clock.advance(500);
    await empty();
    expect(host.asked).toHaveLength(15);
  });

  test("gets one request per session and retry, however many items wait", async () => {
    const host = await hostOf((_, reply) => reply.problem(503, "journal_closed", "Soon."));
    const memory = memoryStorage();
    for (const id of ["a", "b"]) {
      await memory.add({ id, session: "s", action: message(id), refusal: null });
    }
    const { clock } = tab(host, { storage: Promise.resolve(memory) });
    const settled = (count: number) =>
      expect.poll(() => clock.pauses.filter((ms) => ms <= 10_000).length).toBe(count);
    for (let round = 1; round <= 3; round++) {
      await settled(round);
      expect(host.asked).toHaveLength(round);
      clock.advance(10_000);
    }
  });

  test("is not flooded by two tabs that notify each other of failures", async () => {
    const host = await hostOf((_, reply) => reply.problem(503, "journal_closed", "Soon."));
    const open = disk();
    const { sides, told } = channelPair();
    const tabs = sides.map((channel) => tab(host, { storage: open(), channel }));
    for (const { empty } of tabs) await empty();
    const retries = () => tabs.map(({ clock }) => clock.pauses.filter((ms) => ms <= 10_000).length);
    await tabs[0]?.outbox.add("s", message("hi"));
    for (let round = 1; round <= 3; round++) {
      await expect.poll(retries).toEqual([round, round]);
      expect(host.asked).toHaveLength(2 * round);
      for (const { clock } of tabs) clock.advance(10_000);
    }
    expect(told).toEqual(["changed"]);
  });
});

/** Two ends of one channel: each receives the other's messages. */
function channelPair() {
  const told: unknown[] = [];
  const ends = [new EventTarget(), new EventTarget()];
  const sides = ends.map(
    (end): Channel => ({
      postMessage(said) {
        told.push(said);
        for (const other of ends) if (other !== end) other.dispatchEvent(new Event("message"));
      },
      addEventListener: (type, call) => end.addEventListener(type, call),
      close: () => undefined,
    }),
  );
  return { sides, told };
}

describe("a stored item", () => {
  test("survives the page, in order, and is delivered by the next one [F26]", async () => {
    const open = disk();
    let isUp = false;
    const host = await hostOf((_, reply) => (isUp ? reply.json(202, {}) : reply.hangUp()));
    const first = tab(host, { storage: open() });
    const sent = [
      await first.outbox.add("s", message("one")),
      await first.outbox.add("s", message("two")),
    ];
    expect(first.outbox.getSnapshot().isLasting).toBe(true);
    first.outbox.close();
    isUp = true;
    const before = host.asked.length;
    await tab(host, { storage: open() }).empty();
    const after = host.asked.slice(before);
    expect(after.map(({ headers }) => headers["idempotency-key"])).toEqual(
      sent.map(({ id }) => id),
    );
    const third = tab(host, { storage: open() });
    await third.empty();
    expect(host.asked).toHaveLength(before + 2);
  });

  test("is sent again under its key when the page died before the answer [F26]", async () => {
    const open = disk();
    const arrived = Promise.withResolvers<void>();
    const host = await hostOf((_, reply, n) => {
      if (n > 1) return reply.json(202, {});
      arrived.resolve();
    });
    const dying = tab(host, { storage: open() });
    await dying.outbox.add("s", message("once"));
    await arrived.promise;
    dying.outbox.close();
    expect(await (await open()).all()).toMatchObject([{ mayHaveArrived: true }]);
    await tab(host, { storage: open() }).empty();
    const keys = host.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test.each([
    ["memory", async () => memoryStorage()],
    ["IndexedDB", disk()],
  ])("in %s and let go is not brought back by whoever was about to send it", async (_, open) => {
    const storage = await open();
    const item = { id: "k", session: "s", action: message("hi"), refusal: null };
    const { n } = await storage.add(item);
    expect(await storage.change(n, { mayHaveArrived: true })).toEqual({
      ...item,
      n,
      mayHaveArrived: true,
    });
    await storage.remove(n);
    expect(await storage.change(n, { mayHaveArrived: true })).toBeUndefined();
    expect(await storage.all()).toEqual([]);
  });

  test("that is removed before it is sent is not sent", async () => {
    const host = await hostOf((_, reply) => reply.json(202, {}));
    const memory = memoryStorage();
    const { n } = await memory.add({ id: "k", session: "s", action: message("x"), refusal: null });
    const found = Promise.withResolvers<void>();
    const storage: OutboxStorage = {
      ...memory,
      async change(...args) {
        // Another tab removes the item at the last moment.
        await memory.remove(n);
        found.resolve();
        return memory.change(...args);
      },
    };
    const { empty } = tab(host, { storage: Promise.resolve(storage) });
    await found.promise;
    await empty();
    expect(host.asked).toEqual([]);
  });

  test("is only in memory when IndexedDB is blocked or never opens, and the snapshot says so", async () => {
    const host = await hostOf((_, reply) => reply.json(202, {}));
    const blocked = {
      open: () => {
        throw new Error("blocked");
      },
    };
    const clock = new ManualClock();
    const storages = [
      openOutboxStorage({ factory: undefined, name: "o", timers: clock }),
      openOutboxStorage({ factory: blocked, name: "o", timers: clock }),
      openOutboxStorage({ factory: { open: () => new EventTarget() }, name: "o", timers: clock }),
    ];
    clock.advance(3_000);
    for (const storage of storages) {
      const { outbox, empty } = tab(host, { storage });
      await outbox.add("s", message("hi"));
      expect((await empty()).isLasting).toBe(false);
    }
    expect(host.asked).toHaveLength(3);
  });

  test("that cannot be written rejects, and is not sent", async () => {
    const host = await hostOf((_, reply) => reply.json(202, {}));
    const full = { ...memoryStorage(), add: () => Promise.reject(new Error("The disk is full.")) };
    const { outbox } = tab(host, { storage: Promise.resolve(full) });
    await expect(outbox.add("s", message("hi"))).rejects.toThrow("The disk is full.");
    expect(host.asked).toEqual([]);
  });
});

describe("two tabs", () => {
  test("with locks send each item once, whichever added it", async () => {
    const open = disk();
    let isUp = false;
    const host = await hostOf((_, reply) => (isUp ? reply.json(202, {}) : reply.hangUp()));
    const locks = navigator.locks as unknown as Locks;
    const one = tab(host, { storage: open(), locks });
    const two = tab(host, { storage: open(), locks });
    await one.outbox.add("s", message("one"));
    await two.outbox.add("s", message("two"));
    await one.items((all) => all.length === 2);
    isUp = true;
    const before = host.asked.length;
    one.feed.wake();
    two.feed.wake();
    const drained = async () => {
      while ((await (await open()).all()).length > 0) await new Promise(setImmediate);
    };
    await drained();
    const sent = host.asked.slice(before).map(({ body }) => JSON.parse(body).content);
    // A request that was cut may have been answered after it was counted.
    expect(new Set(sent)).toEqual(new Set(["one", "two"]));
    const keys = host.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(2);
  });

  test("show each other's changes, even without a message", async () => {
    const open = disk();
    let isUp = false;
    const host = await hostOf((_, reply) => (isUp ? reply.json(202, {}) : reply.hangUp()));
    const one = tab(host, { storage: open() });
    await one.outbox.add("s", message("hi"));
    const two = tab(host, { storage: open() });
    for (const { items } of [one, two]) await items((all) => all[0]?.problem != null);
    isUp = true;
    one.feed.wake();
    await one.empty();
    two.clock.advance(10_000);
    await two.empty();
  });

  test("do not wait for a frozen tab that holds the lock", async () => {
    const host = await hostOf((_, reply) => reply.json(202, {}));
    const frozen: Locks = {
      request: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    };
    const { outbox, clock, empty, items } = tab(host, { locks: frozen });
    await outbox.add("s", message("hi"));
    await items((all) => all.length === 1);
    expect(host.asked).toEqual([]);
    clock.advance(10_000);
    await empty();
    expect(contents(host)).toEqual(["hi"]);
  });
});
