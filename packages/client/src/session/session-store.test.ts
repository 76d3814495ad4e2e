import { type Event, foldAll, sessionView, transcriptOf } from "@holdfast/protocol";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { corpus, recorded } from "../../test/corpus.ts";
import { JournalHost, type JournalHostOptions } from "../../test/journal-host.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { when } from "../cell.ts";
import { createClient } from "../client.ts";
import { Feed } from "../live/feed.ts";
import type { Fetch } from "../request.ts";
import { Seen } from "./seen.ts";
import { SessionStore } from "./session-store.ts";
import type { SessionSnapshot } from "./snapshot.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Options extends JournalHostOptions {
  readonly tail?: number;
  readonly seen?: Seen;
  readonly fetch?: Fetch;
  readonly clock?: ManualClock;
}

async function watch(events: readonly Event[], options: Options = {}) {
  const { tail, seen = new Seen(null), fetch, clock = new ManualClock() } = options;
  const host = await JournalHost.open(events, options);
  const access = { url: host.url, token: "secret", fetch };
  const client = createClient({ ...access, timers: clock });
  const open = (url: string) => new WebSocket(url);
  const feed = new Feed({ access, clock, page: {}, open });
  const { session } = host;
  const store = new SessionStore({ session, client, feed, clock, seen, ...(tail && { tail }) });
  const leave = store.subscribe(() => undefined);
  closing.push(
    () => host.close(),
    () => feed.close(),
    leave,
  );
  const is = (look: (snapshot: SessionSnapshot) => boolean) => when(store, look);
  const reaches = (seq: number) => is((snapshot) => snapshot.seq >= seq);
  return { host, clock, feed, store, seen, is, reaches, leave };
}

const story = recorded("approval-pending");
const chat = recorded("queue-advanced");

describe("opening", () => {
  test("reads once, then follows after its seq, and equals the host's state [F27]", async () => {
    const { host, store, reaches } = await watch(story.events, { count: 5 });
    await reaches(5);
    host.publish(100);
    const snapshot = await reaches(host.seq);
    expect(host.count("transcript")).toBe(1);
    expect((await host.arrival(1)).said).toContainEqual({
      type: "subscribe",
      session: host.session,
      after: 5,
    });
    expect(snapshot).toMatchObject({ phase: "open", state: host.state, messages: host.messages });
    expect(snapshot.session).toEqual(sessionView(host.state, { epoch: host.epoch }));
    expect(store.getSnapshot()).toBe(snapshot);
  });

  test("asks the host only for events that its socket did not bring", async () => {
    const asked: string[] = [];
    const answer: JournalHostOptions["answer"] = ({ path, query }, reply) => {
      if (!path.endsWith("/events")) return false;
      const [after, limit] = [Number(query.get("after")), Number(query.get("limit"))];
      asked.push(`after ${after}, at most ${limit}`);
      reply.json(200, { events: story.events.slice(after, after + limit), lastSeq: 0, next: null });
      return true;
    };
    const { host, store, reaches } = await watch(story.events, { count: 5, answer });
    const { signal } = new AbortController();
    await reaches(5);
    host.publish(100);
    await reaches(host.seq);
    expect(await store.events(5, host.seq, signal)).toEqual(story.events.slice(5));
    expect(await store.events(7, 9, signal)).toEqual(story.events.slice(7, 9));
    expect(asked).toEqual([]);
    expect(await store.events(2, host.seq, signal)).toEqual(story.events.slice(2));
    expect(asked).toEqual(["after 2, at most 3"]);
  });

  test("asks for older events again when the connection was lost meanwhile", async () => {
    let asked = 0;
    const answer: JournalHostOptions["answer"] = ({ path }, reply) => {
      if (!path.endsWith("/events")) return false;
      // The client itself tries three times.
      if (++asked <= 3) reply.hangUp();
      else reply.json(200, { events: story.events.slice(0, 5), lastSeq: 5, next: null });
      return true;
    };
    const { clock, store, reaches } = await watch(story.events, { count: 5, answer });
    await reaches(5);
    const events = store.events(0, 5, new AbortController().signal);
    while (asked < 4) {
      clock.advance(1_000);
      await Promise.race([events, new Promise(setImmediate)]);
    }
    expect(await events).toEqual(story.events.slice(0, 5));
  });

  test("keeps the receipts, those it opened with and those that its socket brings", async () => {
    const { events } = recorded("checkpoints-and-receipt");
    const { host, reaches } = await watch(events, { count: events.length - 1 });
    const before = host.receipts.length;
    const opened = await reaches(host.seq);
    expect(opened.receipts).toEqual(host.receipts);
    host.publish(100);
    const { receipts } = await reaches(host.seq);
    expect(receipts).toEqual(host.receipts);
    expect(receipts.length).toBeGreaterThan(before);
  });

  test("asks an earlier host, whose transcript has no receipts, for them once", async () => {
    const { events } = recorded("checkpoints-and-receipt");
    const all = transcriptOf(events).receipts;
    const answer: JournalHostOptions["answer"] = ({ path }, reply) => {
      if (!path.endsWith("/receipts")) return false;
      reply.json(200, { receipts: all });
      return true;
    };
    const fetch: Fetch = async (url, init) => {
      const reply = await globalThis.fetch(url, init);
      if (!String(url).includes("/transcript")) return reply;
      const { receipts: _, ...earlier } = (await reply.json()) as Record<string, unknown>;
      return Response.json(earlier);
    };
    const whole = await watch(events, { answer, fetch });
    expect((await whole.reaches(events.length)).receipts).toEqual(all);
    // The receipt is issued between the two answers, and comes once more over the socket.
    const { host, reaches } = await watch(events, { count: events.length - 1, answer, fetch });
    expect((await reaches(host.seq)).receipts).toEqual(host.receipts);
    host.publish(100);
    expect((await reaches(host.seq)).receipts).toEqual(all);
    expect(host.count("receipts")).toBe(1);
  });

  test("shows the run, its question and its queued messages", async () => {
    const { reaches } = await watch(story.events);
    const { run, approvals } = await reaches(story.events.length);
    expect(run).toMatchObject({ status: "awaiting_approval", outcome: null });
    expect(approvals).toHaveLength(1);
    expect(approvals[0]).toMatchObject({ decision: null, digest: run?.pendingApproval?.digest });
  });

  test("waits silently for an unreachable host", async () => {
    let isUp = false;
    const answer: JournalHostOptions["answer"] = (_, reply) => {
      if (!isUp) reply.hangUp();
      return !isUp;
    };
    const { host, clock, feed, store, reaches } = await watch(story.events, { answer });
    const tried = async (times: number) => {
      while (host.count("transcript") < times) {
        clock.advance(1_000);
        await new Promise(setImmediate);
      }
    };
    await tried(4);
    expect(store.getSnapshot()).toMatchObject({ phase: "opening", refusal: null });
    isUp = true;
    feed.wake();
    await tried(5);
    await reaches(host.seq);
  });

  test("treats every browser's network error as a lost connection [U10]", async () => {
    const losses = [
      new TypeError("Load failed"),
      new DOMException("The user aborted a request.", "AbortError"),
      new TypeError("NetworkError when attempting to fetch resource."),
      "not even an error",
    ];
    const states: SessionSnapshot["phase"][] = [];
    const fetch = async (url: string, init: RequestInit) => {
      states.push(opened.store.getSnapshot().phase);
      if (losses.length > 0 && url.includes("/transcript")) throw losses.shift();
      return globalThis.fetch(url, init);
    };
    const opened = await watch(story.events, { fetch });
    while (losses.length > 0) {
      opened.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    opened.clock.advance(1_000);
    await opened.reaches(opened.host.seq);
    expect(new Set(states)).toEqual(new Set(["opening"]));
  });

  test("shows the host's refusal, and shows a missing session as gone", async () => {
    const refuse = (status: number, code: string): NonNullable<JournalHostOptions["answer"]> => {
      return ({ path }, reply) => {
        if (!path.endsWith("/transcript")) return false;
        reply.problem(status, code, "Because.");
        return true;
      };
    };
    const no = await watch(story.events, { answer: refuse(403, "forbidden") });
    const refused = await no.is(({ phase }) => phase === "refused");
    expect(refused.refusal).toEqual({ code: "forbidden", message: "Because." });
    const none = await watch(story.events, { answer: refuse(404, "session_not_found") });
    await none.is(({ phase }) => phase === "gone");
  });

  test("starts with the last messages and loads earlier ones on demand", async () => {
    const { host, store, reaches } = await watch(chat.events, { tail: 1 });
    const first = await reaches(host.seq);
    expect(first.messages).toEqual(host.messages.slice(-1));
    expect(first.earlier).toBe(host.messages.length - 1);
    expect(await store.earlier(2)).toBe(true);
    expect(await store.earlier(100)).toBe(true);
    const all = store.getSnapshot();
    expect(all.messages).toEqual(host.messages);
    expect(all.messages.at(-1)).toBe(first.messages[0]);
    expect(all.earlier).toBe(0);
    expect(await store.earlier()).toBe(false);
  });
});

describe("following", () => {
  test("gives the same snapshot however the events were split over connections [F28]", async () => {
    const one = fc.record({
      journal: fc.constantFrom(...corpus.filter(({ events }) => events.length > 3)),
      cuts: fc.array(fc.record({ count: fc.integer({ min: 1, max: 9 }), cut: fc.boolean() }), {
        maxLength: 6,
      }),
    });
    await fc.assert(
      fc.asyncProperty(one, async ({ journal: { events }, cuts }) => {
        const { host, clock, feed, is, reaches, store } = await watch(events, { count: 2 });
        await is(({ now }) => now !== null);
        for (const { count, cut } of cuts) {
          if (cut) {
            for (const side of host.sockets) side.cut();
            await when(feed.connection, ({ state }) => state === "away");
          }
          host.publish(count);
          const connection = feed.connection.getSnapshot();
          if (connection.state === "away") clock.advance(connection.retryInMs);
          await when(feed.connection, ({ state }) => state === "live");
          await reaches(host.seq);
        }
        host.publish(events.length);
        await reaches(events.length);
        const { state, messages, drift } = store.getSnapshot();
        expect(state).toEqual(foldAll(events));
        expect(messages).toEqual(transcriptOf(events).messages);
        expect(drift).toBeNull();
        expect(host.count("transcript")).toBe(1);
        for (const close of closing.splice(0).reverse()) await close();
      }),
      { numRuns: 40 },
    );
  });

  test("keeps the identity of all parts that an event does not touch", async () => {
    const { host, store, reaches } = await watch(chat.events, { count: 1 });
    let last = await reaches(1);
    let kept = 0;
    while (host.seq < chat.events.length) {
      host.publish(1);
      const next = await reaches(host.seq);
      for (const [at, message] of next.messages.entries()) {
        const before = last.messages[at];
        if (before === undefined || JSON.stringify(before) !== JSON.stringify(message)) continue;
        expect(message).toBe(before);
        kept++;
      }
      for (const part of ["run", "queue", "approvals"] as const) {
        if (JSON.stringify(next[part]) === JSON.stringify(last[part]))
          expect(next[part]).toBe(last[part]);
      }
      last = next;
    }
    expect(kept).toBeGreaterThan(10);
    expect(store.getSnapshot()).toBe(last);
  });

  test("shows the host's clock", async () => {
    const { host, clock, store, is } = await watch(story.events);
    const { now } = await is((snapshot) => snapshot.now !== null);
    expect(now).toBe(host.now);
    clock.advance(2_000);
    expect(store.hostNow()).toBe(Date.parse(host.now) + 2_000);
  });

  test("continues at its position for a watcher that comes back, without a new read", async () => {
    const { host, clock, store, is, reaches, leave } = await watch(story.events, { count: 5 });
    await is(({ now }) => now !== null);
    leave();
    clock.advance(10_000);
    await (await host.arrival(1)).heard("unsubscribe");
    host.publish(3);
    clock.advance(25_000);
    closing.push(store.subscribe(() => undefined));
    expect((await reaches(8)).away).toMatchObject({ fromSeq: 5, toSeq: 8 });
    expect(host.count("transcript")).toBe(1);
    // Changes without an event are requested.
    await expect.poll(() => host.count(host.session)).toBe(1);
  });

  test("opens once for a watcher that leaves and comes back during the opening", async () => {
    const { host, store, is, leave } = await watch(story.events);
    leave();
    closing.push(store.subscribe(() => undefined));
    await is(({ now }) => now !== null);
    expect(host.count("transcript")).toBe(1);
  });

  test("stays connected for a watcher that leaves only for a moment", async () => {
    const { host, store, reaches, leave } = await watch(story.events, { count: 5 });
    await reaches(5);
    await (await host.arrival(1)).heard("subscribe");
    leave();
    closing.push(store.subscribe(() => undefined));
    host.publish(1);
    await reaches(6);
    expect((await host.arrival(1)).said.map(({ type }) => type)).not.toContain("unsubscribe");
  });

  test("starts over from a reset", async () => {
    const { host, store, is, reaches } = await watch(story.events, { count: 5 });
    await reaches(5);
    await (await host.arrival(1)).heard("subscribe");
    await is(({ now }) => now !== null);
    const state = foldAll(story.events);
    const { messages } = transcriptOf(story.events);
    host.say({ type: "reset", seq: state.seq, chain: 1, state, messages });
    await reaches(state.seq);
    expect(store.getSnapshot()).toMatchObject({ state, messages, earlier: 0 });
  });

  test("of a deleted session ends, and keeps its content", async () => {
    const { host, is } = await watch(story.events);
    await is(({ now }) => now !== null);
    host.say({ type: "end", reason: "gone", seq: host.seq });
    expect(await is(({ phase }) => phase === "gone")).toMatchObject({ messages: host.messages });
  });

  test("after a restart shows the new host's view of an old runtime", async () => {
    const { host, clock, feed, is } = await watch(story.events);
    const before = await is(({ now }) => now !== null);
    expect(before.session?.runtime.state).not.toBe("none");
    host.epoch += 5;
    host.sockets[0]?.cut();
    await when(feed.connection, ({ state }) => state === "away");
    clock.advance(250);
    const after = await is(({ session }) => session?.runtime.state === "none");
    expect(after.session).toEqual(sessionView(host.state, { epoch: host.epoch }));
    expect(after.drift).toBeNull();
  });
});

describe("a replica that differs from the host", () => {
  test("because an event was lost, requests it again", async () => {
    const { host, is, reaches } = await watch(story.events, { count: 5 });
    await reaches(5);
    await is(({ now }) => now !== null);
    host.tamper = () => [];
    host.publish(1);
    host.tamper = (events) => events;
    host.publish(1);
    await reaches(7);
    expect(host.count("transcript")).toBe(1);
    expect((await host.arrival(1)).said.filter(({ type }) => type === "subscribe")).toHaveLength(2);
  });

  test("because the last event was lost, is detected by a heartbeat", async () => {
    const { host, is, reaches } = await watch(story.events, { count: 5 });
    await reaches(5);
    await is(({ now }) => now !== null);
    host.tamper = () => [];
    host.publish(1);
    host.tamper = (events) => events;
    host.beat();
    await reaches(6);
    expect(host.count("transcript")).toBe(1);
  });

  test("because an event was changed in transit, is detected by the checksum and read again", async () => {
    const { host, is, reaches } = await watch(story.events, { count: 5 });
    await reaches(5);
    await is(({ now }) => now !== null);
    host.tamper = (events) => events.map((event) => ({ ...event, ts: "2000-01-01T00:00:00.000Z" }));
    host.publish(1);
    await reaches(6);
    host.tamper = (events) => events;
    host.beat();
    const mended = await is(({ state }) => state?.updatedAt === host.state.updatedAt);
    expect(mended).toMatchObject({ state: host.state, messages: host.messages, drift: null });
    expect(host.count("transcript")).toBe(2);
  });

  test("even after it was read again, is reported, and not read repeatedly", async () => {
    const { host, is, reaches, store } = await watch(story.events, { count: 5 });
    await reaches(5);
    await is(({ now }) => now !== null);
    host.tamper = (events) => events.map((event) => ({ ...event, ts: "2000-01-01T00:00:00.000Z" }));
    host.publish(1);
    await reaches(6);
    host.beat();
    await (await host.arrival(1)).heard("subscribe", 2);
    host.publish(1);
    await reaches(7);
    host.beat();
    expect((await is(({ drift }) => drift !== null)).drift).toEqual({ what: "events", seq: 7 });
    host.beat();
    expect(host.count("transcript")).toBe(2);
    host.tamper = (events) => events;
    store.reload();
    await is(({ drift, state }) => drift === null && state?.updatedAt === host.state.updatedAt);
  });

  /** A host whose view of a session differs from its journal, met on a second connection. */
  async function drifted(folds: number) {
    const answer: JournalHostOptions["answer"] = ({ path }, reply) => {
      if (!path.endsWith(opened.host.session)) return false;
      const { state, epoch } = opened.host;
      reply.json(200, { session: { ...sessionView(state, { epoch }), title: "drifted" } });
      return true;
    };
    const opened = await watch(story.events, { answer, count: 5 });
    const { host, clock, feed, is } = opened;
    await is(({ now }) => now !== null);
    host.foldVersion += folds;
    host.sockets[0]?.cut();
    await when(feed.connection, ({ state }) => state === "away");
    clock.advance(250);
    await expect.poll(() => host.count(host.session)).toBe(1);
    return opened;
  }

  test("in the host's view, is detected on the next connection when both fold alike", async () => {
    const { host } = await drifted(0);
    await (await host.arrival(2)).heard("subscribe", 2);
    expect(host.count("transcript")).toBe(2);
  });

  test("in the view of a host with another fold version, is no drift", async () => {
    const { host, reaches } = await drifted(1);
    host.publish(1);
    expect((await reaches(6)).drift).toBeNull();
    expect(host.count("transcript")).toBe(1);
  });

  test("because the host has fewer events, is read again", async () => {
    const { host, is } = await watch(story.events);
    await is(({ now }) => now !== null);
    host.say({ type: "error", code: "cursor_ahead", message: "Too far." });
    await (await host.arrival(1)).heard("subscribe", 2);
    expect(host.count("transcript")).toBe(2);
  });
});

describe("the span since the last visit", () => {
  const device = () => {
    const values = new Map<string, string>();
    const keyValues = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
    };
    return () => new Seen(keyValues);
  };

  test("starts after the last event that this device showed, across a reload", async () => {
    const visit = device();
    const clock = new ManualClock();
    const first = await watch(chat.events, { count: 4, seen: visit(), clock });
    expect((await first.reaches(4)).away).toBeNull();
    first.store.seen();
    clock.jump(30_000);
    const second = await watch(chat.events, { seen: visit(), clock });
    const { away } = await second.reaches(chat.events.length);
    expect(away).toEqual({ fromSeq: 4, toSeq: chat.events.length });
    second.store.seen();
    expect(second.store.getSnapshot().away).toBeNull();
    expect(visit().upTo(second.host.session)).toBe(chat.events.length);
  });

  test("is empty for a page that is reloaded at once [U10]", async () => {
    const visit = device();
    const clock = new ManualClock();
    const first = await watch(chat.events, { count: 4, seen: visit(), clock });
    await first.reaches(4);
    first.store.seen();
    clock.jump(29_000);
    // Without a new event, the visit's time is stored all the same.
    first.store.seen();
    clock.jump(2_000);
    const second = await watch(chat.events, { seen: visit(), clock });
    expect((await second.reaches(chat.events.length)).away).toBeNull();
  });

  test("is shown even if the clock was ahead at the last visit, and is known from then on [U10]", async () => {
    const visit = device();
    const clock = new ManualClock();
    const first = await watch(chat.events, { count: 4, seen: visit(), clock });
    await first.reaches(4);
    visit().mark(first.host.session, 4, { at: clock.now() + 86_400_000 });
    const second = await watch(chat.events, { count: 6, seen: visit(), clock });
    expect((await second.reaches(6)).away).toMatchObject({ fromSeq: 4, toSeq: 6 });
    second.store.seen();
    expect(visit().last(second.host.session)).toMatchObject({ seq: 6, at: clock.now() });
    const third = await watch(chat.events, { seen: visit(), clock });
    expect((await third.reaches(chat.events.length)).away).toBeNull();
  });

  test("is shown on return to a hidden page that received every event [U10]", async () => {
    const { host, clock, store, reaches } = await watch(chat.events, { count: 4 });
    await reaches(4);
    store.seen();
    host.publish(2);
    await reaches(6);
    store.look();
    expect(store.getSnapshot().away).toBeNull();
    clock.jump(30_000);
    store.look();
    expect(store.getSnapshot().away).toMatchObject({ fromSeq: 4, toSeq: 6 });
  });

  test("is shown on return from a long absence, and not after a short one [U10]", async () => {
    const { host, clock, feed, is, reaches } = await watch(chat.events, { count: 4 });
    await is(({ now }) => now !== null);
    const lose = async (ms: number) => {
      for (const side of host.sockets) side.cut();
      await when(feed.connection, ({ state }) => state === "away");
      host.publish(2);
      clock.advance(ms);
      return reaches(host.seq);
    };
    expect((await lose(250)).away).toBeNull();
    expect((await lose(30_000)).away).toMatchObject({ fromSeq: 6, toSeq: 8 });
  });

  test("only moves forward, also without storage", () => {
    const broken = {
      getItem: () => {
        throw new Error("blocked");
      },
      setItem: () => {
        throw new Error("full");
      },
    };
    const seen = new Seen(broken);
    seen.mark("s", 5, { at: 1000, activeAt: "2026-01-02T00:00:00.000Z" });
    seen.mark("s", 3, { at: 2000 });
    expect(seen.last("s")).toEqual({
      seq: 5,
      at: 2000,
      activeAt: "2026-01-02T00:00:00.000Z",
    });
    expect(seen.upTo("s")).toBe(5);
    expect(seen.upTo("other")).toBeUndefined();
  });
});
