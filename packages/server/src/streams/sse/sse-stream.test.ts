import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";
import { foldVersion, type SessionId } from "@holdfast/protocol";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { EventSource } from "eventsource";
import { Hono } from "hono";
import { afterEach, describe, expect, test } from "vitest";
import type { Caller } from "../../access/credentials/caller.ts";
import type { Journal, Standing } from "../../journal/journal.ts";
import { openSqliteJournal } from "../../journal/sqlite/open.ts";
import { ballastBytes, temporaryDirectory } from "../../journal/sqlite/testing/test-directory.ts";
import { foldDetail } from "../../session/bases.ts";
import { done, scriptedAgent, text } from "../../testing/scripted-agent.ts";
import { testHost } from "../../testing/test-host.ts";
import { Reader } from "../testing/reader.ts";
import { callerOf, type TestStreams, testStreams } from "../testing/served.ts";
import { serveSse } from "./sse-stream.ts";

let served: TestStreams;
afterEach(() => served.close());

async function session(renames = 0): Promise<SessionId> {
  const id = await served.host.newSession();
  await rename(id, renames);
  return id;
}

let titles = 0;
async function rename(id: SessionId, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await served.host.sessions.execute(id, "rename", { title: `Titel ${titles++} → é` });
  }
}

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);
const has = (count: number) => (reader: Reader) => reader.seqs.length >= count;
const code = async (response: Response) => ((await response.json()) as { code: string }).code;

test("an interruption and the derived status are sent at boot, and again when the run continues [R002-57]", async () => {
  const agent = scriptedAgent("demo", () => [
    { type: "tool_started", toolCallId: "t1", name: "bash", input: {}, gated: false },
    { type: "stall" },
  ]);
  const host = await testHost({ agents: [agent] });
  const id = await host.newSession();
  const { state } = await host.sessions.execute(id, "prompt", { content: "do it" });
  const runId = state.run?.id ?? "";
  await host.until(id, "tool.started");
  const { seq } = await host.sessions.state(id);
  served = await testStreams({ host: await host.crash() });
  const reader = await Reader.open(served.sse(id, { after: seq }));
  const statuses = ({ frames }: Reader) =>
    frames.flatMap(({ data }) => /"kind":"status.derived","status":"(\w+)"/.exec(data)?.[1] ?? []);
  await reader.until((heard) => statuses(heard).length === 1);
  expect(reader.frames.some(({ data }) => data.includes('"kind":"run.interrupted"'))).toBe(true);
  expect(statuses(reader)).toEqual(["interrupted_startup"]);
  await served.host.sessions.execute(id, "retry", { runId, from: "error" });
  await reader.until((heard) => statuses(heard).length === 2);
  expect(statuses(reader)).toEqual(["interrupted_startup", "running"]);
});

describe("unmodified clients", () => {
  test("an EventSource gets past and new events, without any event name [R001-31] [R003-3]", async () => {
    served = await testStreams();
    const id = await session(9);
    const source = new EventSource(served.sse(id));
    const seen: { id: string; seq: number }[] = [];
    const all = Promise.withResolvers<void>();
    source.onmessage = ({ data, lastEventId }) => {
      seen.push({ id: lastEventId, seq: (JSON.parse(data) as { seq: number }).seq });
      if (seen.length === 20) all.resolve();
    };
    await once(served.server, "request");
    await rename(id, 10);
    await all.promise;
    source.close();
    expect(seen).toEqual(upTo(20).map((seq) => ({ id: String(seq), seq })));
  });

  test.skipIf(spawnSync("curl", ["--version"]).status !== 0)("curl -N does as well", async () => {
    served = await testStreams();
    const id = await session(4);
    const curl = spawn("curl", ["-sN", served.sse(id, { after: 2 })]);
    let said = "";
    for await (const piece of curl.stdout) {
      said += piece;
      if (said.includes("id: 5\n")) break;
    }
    curl.kill();
    expect(said.startsWith("retry: 1\n\n")).toBe(true);
    expect(said.match(/^id: \d+$/gm)).toEqual(["id: 3", "id: 4", "id: 5"]);
  });
});

describe("behind hono", () => {
  test("a stream and a HEAD each get their answer, and the connection is closed", async () => {
    served = await testStreams();
    const id = await session(2);
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.get("/sse", async (context) => {
      const { incoming: request, outgoing: response } = context.env;
      const caller = callerOf("ann") as Caller;
      const instead = await serveSse(served.streams, { session: id, caller, request, response });
      if (instead === null) return RESPONSE_ALREADY_SENT;
      return context.body(null, instead.status, instead.headers);
    });
    const server = createAdaptorServer({
      fetch: app.fetch,
      overrideGlobalObjects: false,
    }) as Server;
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
    const reader = await Reader.open(url);
    await rename(id, 1);
    await reader.until(has(4));
    expect(reader.headers["content-type"]).toBe("text/event-stream");
    served.host.clock.advance(10 * 60_000);
    await reader.ended();
    expect(reader.named("end")).toEqual([{ reason: "recycle", seq: 4 }]);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("cache-control")]).toEqual([200, "no-store"]);
    server.close();
  });
});

describe("before the first byte", () => {
  test("the headers forbid caching, buffering and compression", async () => {
    served = await testStreams();
    const reader = await Reader.open(served.sse(await session()), {
      "accept-encoding": "gzip, br",
    });
    expect(reader.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    expect(reader.headers["content-encoding"]).toBeUndefined();
  });

  test("Last-Event-ID wins over after, and any other value than a seq is refused", async () => {
    served = await testStreams();
    const id = await session(5);
    const reader = await Reader.open(served.sse(id, { after: 1 }), { "last-event-id": "4" });
    await reader.until(has(2));
    expect(reader.seqs).toEqual([5, 6]);
    for (const bad of ["-1", "1.5", "abc", "1e3", "9".repeat(20)]) {
      for (const response of [
        await fetch(served.sse(id), { headers: { "last-event-id": bad } }),
        await fetch(served.sse(id, { after: bad === "1e3" ? "NaN" : bad })),
      ]) {
        expect([response.status, await code(response)]).toEqual([400, "bad_input"]);
      }
    }
  });

  test("a cursor beyond the head and an unknown session are errors, not streams", async () => {
    served = await testStreams();
    const id = await session(5);
    const ahead = await fetch(served.sse(id, { after: 7 }));
    expect([ahead.status, await code(ahead)]).toEqual([400, "cursor_ahead"]);
    const unknown = await fetch(served.sse(served.host.sessions.newId("session")));
    expect([unknown.status, await code(unknown)]).toEqual([404, "session_not_found"]);
    const run = await fetch(served.sse(id, { run: served.host.sessions.newId("run") }));
    expect([run.status, await code(run)]).toEqual([404, "run_not_found"]);
  });

  test("a damaged session streams up to its last readable event, and is refused from there on", async () => {
    served = await testStreams();
    const id = await session(5);
    const { journal } = served.host;
    const standing = (await journal.standing(id)) as Standing;
    const damage = { session: id, reason: "a page is torn", readableTo: 3 };
    journal.standing = () => Promise.resolve({ ...standing, damage });
    const refused = await fetch(served.sse(id, { after: 3 }));
    expect([refused.status, await code(refused)]).toEqual([503, "session_damaged"]);
    const reader = await Reader.open(served.sse(id));
    await reader.until(has(3));
  });

  test("a HEAD gets the headers and ends", async () => {
    served = await testStreams();
    const response = await fetch(served.sse(await session()), { method: "HEAD" });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe("");
    expect(served.streams.count).toBe(0);
  });
});

describe("heartbeats", () => {
  test("come at once and every 15 seconds, without an id, with the checksum up to the reader's seq", async () => {
    served = await testStreams();
    const id = await session(5);
    const readers = await Promise.all(
      [0, 3, 6].map((after) => Reader.open(served.sse(id, { after }))),
    );
    for (const reader of readers) await reader.until((r) => r.named("heartbeat").length === 1);
    await rename(id, 4);
    for (const [n, reader] of readers.entries()) await reader.until(has([10, 7, 4][n] as number));
    served.host.clock.advance(15_000);
    const lines: string[] = [];
    for (const reader of readers) {
      await reader.until((r) => r.named("heartbeat").length === 2);
      lines.push(
        ...reader.frames
          .filter((f) => f.id !== null)
          .map((f) => `${f.data}\n`)
          .slice(0, 10),
      );
      expect(reader.frames.filter((f) => f.event === "heartbeat" && f.id !== null)).toEqual([]);
      expect(reader.named("heartbeat")[1]).toEqual({
        seq: 10,
        chain: crc32(lines.slice(0, 10).join("")),
        now: "2026-01-01T00:00:15.000Z",
        foldVersion,
      });
    }
    expect(readers.map((reader) => reader.named("heartbeat")[0])).toMatchObject([
      { seq: 0, chain: 0 },
      { seq: 3, chain: null },
      { seq: 6, chain: crc32(lines.slice(0, 6).join("")) },
    ]);
  });
});

describe("the end of a stream", () => {
  test("a stream is recycled after ten minutes, with the seq to continue from", async () => {
    served = await testStreams();
    const id = await session(2);
    const reader = await Reader.open(served.sse(id));
    await reader.until(has(3));
    served.host.clock.advance(10 * 60_000);
    await reader.ended();
    expect(reader.frames.at(-1)).toEqual({
      id: null,
      event: "end",
      data: '{"reason":"recycle","seq":3}',
    });
    expect(served.host.sessions.followers(id)).toBe(0);
    expect(served.streams.count).toBe(0);
  });

  test("a host that goes down ends every stream with the seq to continue from, and accepts no new one", async () => {
    served = await testStreams();
    const id = await session(2);
    const reader = await Reader.open(served.sse(id));
    await reader.until(has(3));
    await served.streams.close();
    await reader.ended();
    expect(reader.named("end")).toEqual([{ reason: "restart", seq: 3 }]);
    const late = await fetch(served.sse(id));
    expect([late.status, await code(late)]).toEqual([503, "journal_closed"]);
  });

  test("a host that only closes its sessions ends every stream, too", async () => {
    served = await testStreams();
    const reader = await Reader.open(served.sse(await session(2)));
    await reader.until(has(3));
    served.host.sessions.close();
    await reader.ended();
    expect(reader.named("end")).toEqual([{ reason: "restart", seq: 3 }]);
  });

  test("a deleted session's stream ends with the reason gone", async () => {
    served = await testStreams();
    const id = await session(2);
    const reader = await Reader.open(served.sse(id));
    await served.host.sessions.execute(id, "end", { reason: "explicit" });
    await reader.until(has(4));
    await served.host.sessions.remove(id);
    await reader.ended();
    expect(reader.named("end")).toEqual([{ reason: "gone", seq: 4 }]);
  });

  test("a revoked credential's streams are told and closed, and no others", async () => {
    served = await testStreams();
    const id = await session(2);
    const ann = await Reader.open(served.sse(id, { as: "ann" }));
    const bob = await Reader.open(served.sse(id, { as: "bob" }));
    await Promise.all([ann.until(has(3)), bob.until(has(3))]);
    served.streams.revoke("ann");
    await ann.ended();
    expect(ann.named("error")).toMatchObject([{ code: "unauthorized" }]);
    await rename(id, 1);
    await bob.until(has(4));
    expect(ann.seqs).toEqual([1, 2, 3]);
    expect((await fetch(served.sse(id, { as: "ann" }))).status).toBe(403);
  });

  test("a revoked credential that does not read is cut off within a second", async () => {
    served = await testStreams();
    const id = await session();
    const reader = await Reader.open(served.sse(id));
    await reader.until(has(1));
    reader.pause();
    served.streams.revoke("ann");
    served.host.clock.advance(1000);
    reader.resume();
    await reader.ended();
    expect(served.streams.count).toBe(0);
  });

  test("a damaged read ends the stream with an error code", async () => {
    served = await testStreams();
    const id = await session(2);
    const reader = await Reader.open(served.sse(id));
    await reader.until(has(3));
    served.host.journal.read = () => Promise.reject(new Error("broken"));
    await rename(id, 1);
    await reader.ended();
    expect(reader.named("error")).toMatchObject([{ code: "internal" }]);
    expect(served.errors).toHaveLength(1);
  });
});

describe("below retention", () => {
  test("a reader gets state and messages to start over from, then the following events [F29]", async () => {
    served = await testStreams();
    const id = await session(20);
    await foldDetail(served.host, id);
    await rename(id, 3);
    const reader = await Reader.open(served.sse(id, { after: 5 }));
    await reader.until(has(4));
    const [reset] = reader.named("reset") as [{ seq: number; chain: number }];
    const base = await served.host.journal.base(id);
    expect(reset).toMatchObject({
      seq: 21,
      chain: base?.chain,
      state: { seq: 21, id },
      messages: [],
    });
    expect(reader.seqs).toEqual([22, 23, 24, 25]);
    const { event, id: place } = reader.frames.find((f) => f.event === "reset") ?? {};
    expect([event, place]).toEqual(["reset", "21"]);
    served.host.clock.advance(15_000);
    await reader.until((r) => r.named("heartbeat").length === 2);
    const { chain } = await served.host.sessions.open(id);
    expect(reader.named("heartbeat")[1]).toMatchObject({ seq: 25, chain });
  });
});

describe("a run's stream", () => {
  async function withRuns(journal?: Journal) {
    const agent = scriptedAgent("demo", ({ content }) => [text(`re: ${content}`), done()]);
    const store = journal === undefined ? {} : { journal };
    served = await testStreams({ host: await testHost({ agents: [agent], ...store }) });
    const { host } = served;
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "one" });
    await host.until(id, "run.completed");
    await host.sessions.execute(id, "prompt", { content: "two" });
    await host.until(id, "run.completed", 2);
    const events = await host.events(id);
    const starts = events.filter((event) => event.kind === "run.started");
    const ends = events.filter((event) => event.kind === "run.completed");
    return { id, events, starts, ends };
  }

  test("goes from its first event to its outcome, any number of times, and then says done [F30] [R003-26]", async () => {
    const { id, starts, ends } = await withRuns();
    for (const n of [0, 1, 0]) {
      const [start, end] = [starts[n], ends[n]];
      const runId = start?.runId ?? "";
      const reader = await Reader.open(served.sse(id, { run: runId }));
      await reader.ended();
      expect(reader.seqs[0]).toBe(start?.seq);
      expect(reader.seqs).toContain(end?.seq);
      expect(reader.seqs).toEqual(upTo(reader.seqs.at(-1) as number, start?.seq));
      const batchEnd = await served.host.journal.fact(id, { name: "outcome", key: runId });
      expect(reader.named("end")).toEqual([{ reason: "done", seq: batchEnd }]);
      expect(reader.seqs.at(-1)).toBe(batchEnd);
      const last = { "last-event-id": String(reader.seqs.at(-1)) };
      const again = await fetch(served.sse(id, { run: runId }), { headers: last });
      expect(again.status).toBe(204);
    }
  });

  test("stops an EventSource for good", async () => {
    const { id, starts } = await withRuns();
    const runId = starts[0]?.runId ?? "";
    const source = new EventSource(served.sse(id, { run: runId }));
    await new Promise<void>((resolve) => {
      source.onerror = () => source.readyState === EventSource.CLOSED && resolve();
    });
    source.close();
  });

  test("delivers the whole batch that ends it, and no event after that batch, to all followers [F30]", async () => {
    const gate = Promise.withResolvers<void>();
    const agent = scriptedAgent("demo", () => [
      text("working"),
      { type: "stall", until: gate.promise },
      done(),
    ]);
    served = await testStreams({ host: await testHost({ agents: [agent] }) });
    const { host } = served;
    const id = await host.newSession();
    await host.sessions.execute(id, "prompt", { content: "one" });
    const { runId } = await host.until(id, "run.started");
    await host.sessions.execute(id, "prompt", { content: "two" });
    const readers = await Promise.all(
      upTo(10).map(() => Reader.open(served.sse(id, { run: runId }))),
    );
    for (const reader of readers) await reader.until((r) => r.seqs.length > 3);
    gate.resolve();
    await host.until(id, "run.completed", 2);
    const batchEnd = await host.journal.fact(id, { name: "outcome", key: runId });
    for (const reader of readers) {
      await reader.ended();
      const kinds = reader.frames.filter((f) => f.id !== null).map((f) => JSON.parse(f.data).kind);
      expect(kinds).toContain("run.completed");
      expect(reader.seqs.at(-1)).toBe(batchEnd);
      // The next run begins in the same batch.
      expect(kinds.indexOf("run.completed")).toBeLessThan(kinds.length - 1);
    }
  });

  test("whose events were trimmed is a reset with the final message, then the end [F30]", async () => {
    const { id, starts } = await withRuns();
    await foldDetail(served.host, id);
    const runId = starts[0]?.runId ?? "";
    const reader = await Reader.open(served.sse(id, { run: runId }));
    await reader.ended();
    expect(JSON.stringify(reader.named("reset"))).toContain("re: one");
    expect(reader.named("end")).toMatchObject([{ reason: "done" }]);
  });

  test("is the same on SQLite, down to the checksum", async () => {
    const { dir, remove } = temporaryDirectory();
    const { id, starts, events } = await withRuns(await openSqliteJournal({ dir, ballastBytes }));
    const runId = starts[0]?.runId ?? "";
    const run = await Reader.open(served.sse(id, { run: runId }));
    await run.ended();
    expect(run.named("end")).toEqual([{ reason: "done", seq: run.seqs.at(-1) }]);
    expect((await fetch(served.sse(id, { run: runId, after: run.seqs.at(-1) ?? 0 }))).status).toBe(
      204,
    );
    for (const after of [0, 4, events.length]) {
      const whole = await Reader.open(served.sse(id, { after }));
      await whole.until(has(events.length - after));
      served.host.clock.advance(15_000);
      await whole.until((reader) => reader.named("heartbeat").length === 2);
      const standing = await served.host.journal.standing(id);
      expect(whole.named("heartbeat")[1]).toMatchObject({
        seq: standing?.seq,
        chain: standing?.chain,
      });
    }
    await served.close();
    remove();
  });
});
