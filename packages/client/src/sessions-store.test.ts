import { foldAll, listedView, type SessionView, sessionView } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { recorded } from "../test/corpus.ts";
import { ManualClock } from "../test/manual-clock.ts";
import { type SocketSide, scriptedHost } from "../test/scripted-host.ts";
import { when } from "./cell.ts";
import { createClient } from "./client.ts";
import { Feed } from "./live/feed.ts";
import { Seen } from "./session/seen.ts";
import { type SessionQuery, type SessionsSnapshot, SessionsStore } from "./sessions-store.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const view = sessionView(foldAll(recorded("completed").events), { epoch: 1 });

function session(id: string, over: Partial<SessionView> = {}): SessionView {
  return { ...view, id, title: `title ${id}`, status: "idle", lastSeq: 10, ...over };
}

const row = (view: SessionView) => ({ type: "session", session: view.id, ...listedView(view) });

const counted = { waiting: 4, interrupted: 0, failed: 1 };

/** A list that the test can change. */
async function watch(
  known: Map<string, SessionView>,
  query: SessionQuery = {},
  pageSize = 50,
  seen = new Seen(null),
) {
  const sides: SocketSide[] = [];
  const host = await scriptedHost(
    ({ path, query: asked }, reply) => {
      if (path !== "/api/sessions") {
        const found = known.get(path.split("/").at(-1) ?? "");
        if (found === undefined) return reply.problem(404, "session_not_found", "No.");
        return reply.json(200, { session: found });
      }
      const from = Number(asked.get("cursor") ?? 0);
      const limit = Number(asked.get("limit"));
      const all = [...known.values()].sort((a, b) => (a.lastActiveAt < b.lastActiveAt ? 1 : -1));
      const cursor = from + limit < all.length ? String(from + limit) : null;
      reply.json(200, { sessions: all.slice(from, from + limit), cursor, needs: counted });
    },
    (side) => {
      sides.push(side);
      side.onSaid(({ type }) => {
        if (type === "ping") side.say({ type: "pong" });
        if (type === "subscribe_sessions") side.say({ type: "subscribed_sessions" });
      });
    },
  );
  const clock = new ManualClock();
  const access = { url: host.url, token: "secret" };
  const feed = new Feed({ access, clock, page: {}, open: (url) => new WebSocket(url) });
  const client = createClient({ ...access, timers: clock });
  const store = new SessionsStore({ client, feed, clock, seen, query, pageSize });
  closing.push(
    () => host.close(),
    () => feed.close(),
    store.subscribe(() => undefined),
  );
  const is = (look: (snapshot: SessionsSnapshot) => boolean) => when(store, look);
  await is(({ phase }) => phase === "ready");
  await when(feed.connection, ({ state }) => state === "live");
  return { host, sides, clock, feed, store, seen, is };
}

const at = (minute: number) => `2026-11-15T00:${String(minute).padStart(2, "0")}:00.000Z`;
const known = (...sessions: SessionView[]) => new Map(sessions.map((one) => [one.id, one]));
const ids = ({ sessions }: SessionsSnapshot) => sessions.map(({ id }) => id);

describe("the live list", () => {
  test("is read once connected, and follows the host's changes [R004-49]", async () => {
    const a = session("sess_a", { lastActiveAt: at(2) });
    const b = session("sess_b", { lastActiveAt: at(1) });
    const { sides, is, store } = await watch(known(a, b));
    expect(ids(store.getSnapshot())).toEqual(["sess_a", "sess_b"]);
    const before = store.getSnapshot().sessions[0];
    sides[0]?.say(row({ ...b, status: "waiting", lastActiveAt: at(3), lastSeq: 12 }));
    const changed = await is(({ sessions }) => sessions[0]?.id === "sess_b");
    expect(changed.sessions[0]).toMatchObject({
      status: "waiting",
      lastSeq: 12,
      agentName: b.agentName,
    });
    expect(changed.sessions[1]).toBe(before);
  });

  test("shows sessions that need a person first, and counts like the host", async () => {
    const a = session("sess_a", { lastActiveAt: at(2) });
    const b = session("sess_b", { lastActiveAt: at(1) });
    const { sides, is, store } = await watch(known(a, b));
    expect(store.getSnapshot().needs).toEqual(counted);
    const need = { kind: "failed", since: at(1) } as const;
    sides[0]?.say(row({ ...b, need, lastSeq: 12 }));
    const failed = await is(({ sessions }) => sessions[0]?.id === "sess_b");
    expect(ids(failed)).toEqual(["sess_b", "sess_a"]);
    sides[0]?.say(row({ ...a, need: { ...need, kind: "waiting" }, lastSeq: 12 }));
    await is(({ sessions }) => sessions[0]?.id === "sess_a");
    const needs = { waiting: 5, interrupted: 0, failed: 2 };
    sides[0]?.say({ type: "needs", ...needs });
    expect((await is((shown) => shown.needs.waiting === 5)).needs).toEqual(needs);
  });

  test("shows all current fields of a row", async () => {
    const a = session("sess_a", { lastActiveAt: at(1) });
    const { sides, is } = await watch(known(a));
    const news = {
      lastSeq: 12,
      lastActiveAt: at(4),
      updatedAt: at(5),
      queued: 2,
      happening: { kind: "does", text: "Edit src/auth.ts" },
      runtime: { ...a.runtime, state: "unreachable" },
      recovery: { ...a.recovery, receipts: 3 },
    } as const;
    sides[0]?.say(row({ ...a, ...news }));
    const { sessions } = await is((snapshot) => snapshot.sessions[0]?.lastSeq === 12);
    expect(sessions[0]).toEqual({ ...a, ...news, unread: true });
  });

  test("adds a new session, and requests its remaining fields", async () => {
    const all = known(session("sess_a", { lastActiveAt: at(1) }));
    const { sides, is } = await watch(all);
    const fresh = session("sess_new", { lastActiveAt: at(5), title: "fresh" });
    all.set(fresh.id, fresh);
    sides[0]?.say(row(fresh));
    expect((await is(({ sessions }) => sessions.length === 2)).sessions[0]).toMatchObject(fresh);
  });

  test("ignores a row that is older than its own", async () => {
    const a = session("sess_a", { lastActiveAt: at(2) });
    const { sides, is } = await watch(known(a));
    sides[0]?.say(
      row({ ...a, title: "old", lastSeq: 4 }),
      row({ ...a, title: "new", lastSeq: 14 }),
    );
    const { sessions } = await is((snapshot) => snapshot.sessions[0]?.title !== a.title);
    expect(sessions[0]?.title).toBe("new");
  });

  test("is read again after a loss, because changes may have been missed", async () => {
    const a = session("sess_a", { lastActiveAt: at(1) });
    const all = known(a);
    const { sides, clock, feed, is } = await watch(all);
    sides[0]?.cut();
    await when(feed.connection, ({ state }) => state === "away");
    all.set("sess_b", session("sess_b", { lastActiveAt: at(2) }));
    clock.advance(250);
    expect(ids(await is(({ sessions }) => sessions.length === 2))).toEqual(["sess_b", "sess_a"]);
  });

  test("searches and filters, also later changes", async () => {
    const a = session("sess_a", { status: "waiting", title: "Fix the Door", lastActiveAt: at(1) });
    const query = { q: "door", status: "waiting" } as const;
    const { host, sides, is } = await watch(known(a), query);
    expect(String(host.asked[0]?.query)).toBe("q=door&status=waiting&limit=50");
    sides[0]?.say(row({ ...a, status: "running", lastSeq: 11 }));
    await is(({ sessions }) => sessions.length === 0);
    sides[0]?.say(row({ ...a, lastSeq: 12 }));
    await is(({ sessions }) => sessions.length === 1);
  });

  test("loads more pages, each session once", async () => {
    const all = known(
      ...Array.from({ length: 5 }, (_, n) => session(`sess_${n}`, { lastActiveAt: at(n) })),
    );
    const { store } = await watch(all, {}, 2);
    expect(store.getSnapshot().hasMore).toBe(true);
    expect(await store.more()).toBe(true);
    expect(await store.more()).toBe(true);
    expect(ids(store.getSnapshot())).toEqual(["sess_4", "sess_3", "sess_2", "sess_1", "sess_0"]);
    expect(store.getSnapshot().hasMore).toBe(false);
    expect(await store.more()).toBe(false);
  });

  test("drops a session when it is deleted", async () => {
    const [a, b] = [session("sess_a", { lastSeq: 10 }), session("sess_b", { lastSeq: 10 })];
    const { sides, is } = await watch(known(a, b));
    sides[0]?.say(row({ ...a, lifecycle: "ended", lastSeq: 12, deleted: true }));
    expect(ids(await is(({ sessions }) => sessions.length === 1))).toEqual([b.id]);
  });

  test("marks sessions that this device has not shown as unread", async () => {
    const a = session("sess_a", { lastSeq: 10 });
    const { seen, sides, is, store } = await watch(known(a));
    expect(store.getSnapshot().sessions[0]?.unread).toBe(true);
    seen.mark(a.id, 10);
    expect(store.getSnapshot().sessions[0]?.unread).toBe(false);
    sides[0]?.say(row({ ...a, status: "waiting", lastSeq: 15, lastActiveAt: at(3) }));
    await is(({ sessions }) => sessions[0]?.unread === true);
  });

  test("is not marked unread by a session that only went to sleep", async () => {
    const a = session("sess_a", { lastSeq: 10 });
    const { seen, sides, is } = await watch(known(a));
    seen.mark(a.id, 10, { activeAt: a.lastActiveAt });
    sides[0]?.say(row({ ...a, lifecycle: "paused", lastSeq: 11 }));
    const asleep = await is(({ sessions }) => sessions[0]?.lastSeq === 11);
    expect(asleep.sessions[0]?.unread).toBe(false);
    sides[0]?.say(row({ ...a, lastSeq: 14, lastActiveAt: at(3) }));
    const awake = await is(({ sessions }) => sessions[0]?.lastSeq === 14);
    expect(awake.sessions[0]?.unread).toBe(true);
    // A start that failed and was seen is over: the last activity is an older one again.
    seen.mark(a.id, 14, { activeAt: at(3) });
    sides[0]?.say(row({ ...a, lastSeq: 16 }));
    const started = await is(({ sessions }) => sessions[0]?.lastSeq === 16);
    expect(started.sessions[0]?.unread).toBe(false);
  });

  test("is marked alike before and after a reload", async () => {
    const a = session("sess_a", { lastSeq: 10 });
    const values = new Map<string, string>();
    const device = () =>
      new Seen({
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => void values.set(key, value),
      });
    device().mark(a.id, 10, { at: 1000, activeAt: a.lastActiveAt });
    const unread = async (view: SessionView) => {
      const { store } = await watch(known(view), {}, 50, device());
      return store.getSnapshot().sessions[0]?.unread;
    };
    expect(await unread({ ...a, lifecycle: "paused", lastSeq: 12 })).toBe(false);
    expect(await unread({ ...a, lastSeq: 14, lastActiveAt: at(3) })).toBe(true);
  });
});
