import { HostError, type SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import type { Journal } from "../../journal/journal.ts";
import { done, failed, type Script, type Step, text } from "../../testing/scripted-agent.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";

const create = async (app: TestApp, title: string, message?: string) => {
  const body = { agent: "demo", title, ...(message === undefined ? {} : { message }) };
  return (await app.ask("createSession", { body })).session.id as SessionId;
};

const stalled: Step[] = [
  text("so far"),
  { type: "tool_started", toolCallId: "t1", name: "bash", input: { cmd: "make" }, gated: false },
  { type: "stall" },
];
const asking: Step[] = [
  {
    type: "ask",
    toolCallId: "t1",
    toolName: "bash",
    input: { cmd: "make" },
    allowed: [done()],
    denied: [done()],
  },
];
const script: Script = ({ content }) => (content === "stall" ? stalled : [text("done"), done()]);

describe("the list", () => {
  test("shows the latest first, in pages that omit no session", async () => {
    const app = await testApp();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      app.host.clock.advance(1000);
      ids.unshift(await create(app, `Session ${n}`));
    }
    const seen: string[] = [];
    let page = await app.ask("listSessions", { query: { limit: 2 } });
    seen.push(...page.sessions.map(({ id }) => id));
    while (page.cursor !== null) {
      page = await app.ask("listSessions", { query: { limit: 2, cursor: page.cursor } });
      seen.push(...page.sessions.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
    expect(await app.refused("listSessions", { query: { cursor: "nonsense" } })).toMatchObject({
      status: 400,
    });
  });

  test.each([200, 5000])(
    "shows sessions that need a person first, with counts, before %d newer ones",
    async (newer) => {
      const app = await testApp({
        script: ({ content }) => (content === "ask" ? asking : [failed("broken", "It broke.")]),
      });
      const asks = await create(app, "Asks", "ask");
      await app.host.until(asks, "run.waiting");
      const broke = await create(app, "Broke", "break");
      await app.host.until(broke, "run.failed");
      const { since } = await app.host.until(asks, "run.waiting").then(({ ts }) => ({ since: ts }));
      app.host.clock.advance(60_000);
      for (let n = 0; n < newer; n++) await app.host.newSession();
      const page = await app.ask("listSessions", { query: { limit: 2 } });
      expect(page.sessions).toMatchObject([
        { id: asks, word: "waiting", need: { kind: "waiting", since } },
        { id: broke, status: "idle", word: "failed", need: { kind: "failed" } },
      ]);
      expect(page.needs).toEqual({ waiting: 1, interrupted: 0, failed: 1 });
      const { needs } = await app.ask("listSessions", { query: { q: "no such title" } });
      expect(needs).toEqual(page.needs);
    },
  );

  test("a question keeps its time and its session its age over a restart of the host", async () => {
    const app = await testApp({ script: () => asking });
    const id = await create(app, "Asks", "ask");
    await app.host.until(id, "run.waiting");
    const [before] = (await app.ask("listSessions")).sessions;
    app.host.clock.advance(600_000);
    const next = await testApp({ host: await app.host.crash() });
    const [after] = (await next.ask("listSessions")).sessions;
    expect(after?.need).toEqual(before?.need);
    expect(after?.lastActiveAt).toBe(before?.lastActiveAt);
    expect(after?.word).toBe("waiting");
  });

  test("is searched by title and by status", async () => {
    const app = await testApp({ script });
    const idle = await create(app, "Fix the Build");
    const busy = await create(app, "Write tests", "stall");
    const found = async (query: { q?: string; status?: "running" | "idle" }) =>
      (await app.ask("listSessions", { query })).sessions.map(({ id }) => id);
    expect(await found({ q: "build" })).toEqual([idle]);
    expect(await found({ status: "running" })).toEqual([busy]);
    expect(await found({ status: "idle" })).toEqual([idle]);
  });

  test("[R001-36] shows every session paused after a restart, whatever its head says", async () => {
    const app = await testApp({ script });
    const id = await create(app, "A", "go");
    await app.host.until(id, "run.completed");
    const next = await testApp({ host: await app.host.crash() });
    expect((await next.host.journal.standing(id))?.head.lifecycle).toBe("active");
    const { sessions } = await next.ask("listSessions");
    expect(sessions).toMatchObject([{ id, lifecycle: "paused", status: "idle" }]);
    const { session } = await next.ask("getSession", { params: { sessionId: id } });
    expect(session).toEqual(sessions[0]);
  });

  test("[R002-56] shows the runs that a restart interrupted, and why", async () => {
    const app = await testApp({ script });
    const id = await create(app, "A", "stall");
    await app.host.until(id, "tool.started");
    const next = await testApp({ host: await app.host.crash() });
    const { sessions } = await next.ask("listSessions", {
      query: { status: "interrupted_startup" },
    });
    expect(sessions).toMatchObject([
      {
        id,
        lifecycle: "paused",
        status: "interrupted_startup",
        recovery: {
          lastBootSeen: next.host.bootId,
          interruption: { runId: sessions[0]?.currentRunId, reason: "process_restart" },
        },
      },
    ]);
    const { runs } = await next.ask("listRuns", { params: { sessionId: id } });
    expect(runs).toMatchObject([
      { status: "interrupted", contentParts: [{ text: "so far" }, { status: "unknown" }] },
    ]);
  });

  test("shows a damaged session as damaged, among the others", async () => {
    const app = await testApp();
    const [sound, damaged] = [await create(app, "Sound"), await create(app, "Damaged")];
    const host = await app.host.crash();
    damage(host.journal, damaged, 0);
    const next = await testApp({ host });
    const { sessions } = await next.ask("listSessions");
    const shown = Object.fromEntries(sessions.map((session) => [session.id, session]));
    expect(shown[sound]?.damage).toBeNull();
    expect(shown[damaged]).toMatchObject({
      title: "Damaged",
      agentName: "demo",
      lifecycle: "paused",
      damage: { reason: "a checksum does not match", readableTo: 0 },
    });
    const problem = await next.refused("getSession", { params: { sessionId: damaged } });
    expect(problem).toMatchObject({ status: 503, code: "session_damaged" });
    const foreign = await next.refused("getSession", {
      params: { sessionId: damaged },
      as: "other",
    });
    expect(foreign.code).toBe("session_not_found");
  });

  test("shows no title to another tenant whose name stands in a damaged record [P37]", async () => {
    const app = await testApp();
    const [, unreadable] = [await create(app, "Readable"), await create(app, "Unreadable")];
    const host = await app.host.crash();
    damage(host.journal, unreadable, null);
    const { list } = host.journal;
    // Makes every record look like one of the tenant that asks.
    host.journal.list = ({ tenant: _, ...query }) => list.call(host.journal, query);
    const { sessions } = await (await testApp({ host })).ask("listSessions", { as: "other" });
    expect(sessions.map(({ id, title }) => [id, title])).toEqual([[unreadable, "Damaged session"]]);
  });
});

/** Makes the journal report one session as damaged. */
function damage(journal: Journal, id: SessionId, readableTo: number | null): void {
  const found = { session: id, reason: "a checksum does not match", readableTo };
  const { read, standing, list } = journal;
  journal.read = (session, ...rest) =>
    session === id
      ? Promise.reject(new HostError("session_damaged", found.reason))
      : read.call(journal, session, ...rest);
  journal.standing = async (session, tenant) => {
    const known = await standing.call(journal, session, tenant);
    return known?.session === id ? { ...known, damage: found } : known;
  };
  journal.list = async (query) => {
    const page = await list.call(journal, query);
    return {
      ...page,
      sessions: page.sessions.map((known) =>
        known.session === id ? { ...known, damage: found } : known,
      ),
    };
  };
}

describe("one session", () => {
  test("[R002-55] is created, read, changed and ended, with every field it ever had", async () => {
    const app = await testApp();
    const id = await create(app, "First");
    const params = { sessionId: id };
    const { session } = await app.ask("getSession", { params });
    // Fields are only ever added, so that existing clients find these.
    const promised =
      "id title agentName model sandboxId lifecycle status currentRunId runtime workspace isolation policy lastSeq createdAt updatedAt lastActiveAt lastMessageAt recovery";
    expect(Object.keys(session)).toEqual(expect.arrayContaining(promised.split(" ")));
    const runtime = "state agentSessionId lastMessageId sandbox holder worktree";
    expect(Object.keys(session.runtime)).toEqual(expect.arrayContaining(runtime.split(" ")));
    const renamed = await app.ask("updateSession", { params, body: { title: "Second" } });
    expect(renamed.session.title).toBe("Second");
    const changed = await app.ask("updateSession", {
      params,
      body: { policy: { transientRetries: 0 } },
    });
    expect(changed.session.policy).toEqual({ transientRetries: 0 });
    const { events } = await app.ask("listEvents", { params, query: { after: session.lastSeq } });
    expect(events.map(({ kind }) => kind)).toEqual(["session.renamed", "session.policy_changed"]);
    const { session: deleted } = await app.ask("deleteSession", { params });
    expect(deleted).toMatchObject({ id, title: "Second", lifecycle: "ended" });
    expect((await app.ask("getSession", { params })).session).toEqual(deleted);
  });

  test("leaves the list at once when it is deleted, also after its end, and is read by its id", async () => {
    const app = await testApp();
    const [kept, ended] = [await create(app, "Kept"), await create(app, "Ended")];
    const params = { sessionId: ended };
    await app.ask("endSession", { params });
    const listed = async () =>
      (await app.ask("listSessions", { query: {} })).sessions.map(({ id }) => id);
    expect((await listed()).toSorted()).toEqual([kept, ended].toSorted());
    const { session } = await app.ask("deleteSession", { params });
    expect(session).toMatchObject({ lifecycle: "ended", deleted: true });
    expect(await listed()).toEqual([kept]);
    expect((await app.ask("deleteSession", { params })).session).toEqual(session);
    expect((await app.ask("getSession", { params })).session).toEqual(session);
  });

  test("that is deleted leaves no gap: pages are full until the list ends", async () => {
    const app = await testApp();
    const ids: string[] = [];
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7]) ids.unshift(await create(app, `Session ${n}`));
    const deleted = [2, 4, 5, 6].map((n) => ids[n] as string);
    for (const sessionId of deleted) await app.ask("deleteSession", { params: { sessionId } });
    const read = (query: object) => app.ask("listSessions", { query: { limit: 2, ...query } });
    const first = await read({});
    const second = await read({ cursor: first.cursor });
    expect(second.cursor).toBeNull();
    const pages = [first, second].map(({ sessions }) => sessions.map(({ id }) => id));
    expect(pages.map((page) => page.length)).toEqual([2, 2]);
    expect(pages.flat().toSorted()).toEqual(ids.filter((id) => !deleted.includes(id)).toSorted());
  });

  test("is changed completely or not at all: a refused policy leaves the title", async () => {
    const app = await testApp();
    const params = { sessionId: await create(app, "First") };
    const body = { title: "Second", policy: { sweep: 1 } };
    expect((await app.refused("updateSession", { params, body })).code).toBe("bad_input");
    expect((await app.ask("getSession", { params })).session.title).toBe("First");
  });

  test("[R001-38] is ended by a person, or when its time is over, and stays ended", async () => {
    const app = await testApp();
    const params = { sessionId: await create(app, "A") };
    const first = await app.ask("endSession", { params });
    expect(first.session.lifecycle).toBe("ended");
    expect((await app.ask("endSession", { params })).session).toEqual(first.session);
    const hour = 3_600_000;
    const { session } = await app.ask("createSession", {
      body: { agent: "demo", policy: { sessionTtl: hour } },
    });
    app.host.clock.advance(2 * hour);
    await app.host.sweep();
    const { session: over } = await app.ask("getSession", { params: { sessionId: session.id } });
    expect(over.lifecycle).toBe("ended");
  });
});

test("a title with half of a surrogate pair is listed as strict JSON", async () => {
  const { ask, send } = await testApp();
  await ask("createSession", { body: { agent: "demo", title: "\ud800x" } });
  const text = await (await send("listSessions")).text();
  expect(text).not.toMatch(/\\ud[89a-f]/);
  expect(JSON.parse(text).sessions).toMatchObject([{ title: "\ufffdx" }]);
});
