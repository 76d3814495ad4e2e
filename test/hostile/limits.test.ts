/**
 * Every limit exceeded by one and by a hundred times: the error names the limit, and others are
 * still served.
 */

import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Event } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { connectionLimits } from "../../packages/server/src/access/limits/connections.ts";
import { serverLimits } from "../../packages/server/src/access/limits/limits.ts";
import { parse } from "../../packages/server/src/access/testing/raw.ts";
import { streamLimits } from "../../packages/server/src/streams/limits.ts";
import { kinds } from "../story/world.ts";
import { memoryOf, sendAll } from "./crowd.ts";
import { isLinux } from "./processes.ts";
import { inTurn, Target } from "./target.ts";

const target = new Target();
/** A separate credential, so that its rate limits do not affect others. */
let hostile = "";

beforeAll(async () => {
  await target.start();
  hostile = await keyFor("default");
});

afterAll(() => target.end());

async function keyFor(tenant: string): Promise<string> {
  const body = { name: "hostile", tenant, scopes: ["read", "write", "admin"] as never };
  return (await target.client.call("createKey", { body })).secret;
}

const codeOf = (body: string) => (JSON.parse(body) as { code: string }).code;
const MB = 1024 * 1024;

/** Checks that other clients are served, on a new connection. */
async function othersAreServed(): Promise<void> {
  const from = performance.now();
  const made = await target.ask("POST", "/api/sessions", { body: '{"agent":"demo"}' });
  expect(made.status).toBe(201);
  const { id } = JSON.parse(made.body).session as { id: string };
  expect((await target.ask("GET", `/api/sessions/${id}`)).status).toBe(200);
  expect(performance.now() - from).toBeLessThan(2000);
}

/** Sends only headers with this length, and is answered before it sends the body. */
function announced(length: string): Promise<ReturnType<typeof parse>> {
  const head = ["POST /api/sessions HTTP/1.1", `Host: 127.0.0.1:${target.port}`];
  const fields = [`Authorization: Bearer ${hostile}`, "Content-Type: application/json", length];
  return target.bytes(`${[...head, ...fields].join("\r\n")}\r\n\r\n`);
}

/** Sends a chunked body until it is refused, or until it has sent a hundred times the limit. */
async function poured(): Promise<{ status: number; sent: number }> {
  const socket = connect(target.port, "127.0.0.1");
  const told: string[] = [];
  socket.on("data", (chunk) => told.push(String(chunk)));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const fields = [`Authorization: Bearer ${hostile}`, "Content-Type: application/json"];
  const head = ["POST /api/sessions HTTP/1.1", `Host: 127.0.0.1:${target.port}`, ...fields];
  socket.write(`${[...head, "Transfer-Encoding: chunked"].join("\r\n")}\r\n\r\n`);
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  let sent = 0;
  while (sent < 800 * MB && told.length === 0 && socket.writable) {
    sent += 0x10000;
    if (!socket.write(chunk)) {
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    }
  }
  await closed;
  return { status: parse(told.join("")).status, sent };
}

describe("[P34] a body", () => {
  const filled = (bytes: number) => `{"agent":"demo"${" ".repeat(bytes - 16)}}`;

  test("of its limit is taken; one byte more is too large, and so is a hundred times as much", async () => {
    const most = 8 * MB;
    expect(Buffer.byteLength(filled(most))).toBe(most);
    expect((await target.quick("POST", "/api/sessions", hostile, filled(most))).status).toBe(201);
    for (const bytes of [most + 1, most * 100, Number.MAX_SAFE_INTEGER]) {
      const { status, body, head } = await announced(`Content-Length: ${bytes}`);
      expect([bytes, status, codeOf(body)]).toEqual([bytes, 413, "too_large"]);
      expect(head.toLowerCase()).toContain("connection: close");
    }
    await othersAreServed();
  });

  test("that does not say how long it is ends at the same limit", async () => {
    // A reset that comes with the answer may discard the answer at a client that still sends.
    const statuses: number[] = [];
    while (!statuses.includes(413) && statuses.length < 10) {
      const { status, sent } = await poured();
      expect([0, 413]).toContain(status);
      expect(sent).toBeLessThan(32 * MB);
      statuses.push(status);
    }
    expect(statuses).toContain(413);
    await othersAreServed();
  });

  test.skipIf(!isLinux)("of 400 strangers with 8 MB each costs at most 50 MB [S3]", async () => {
    const run = `/api/runs/run_${"0".repeat(32)}/resume`;
    for (const [path, start] of [
      ["/api/login", '{"code":"x"}'],
      [run, '{"token":"x"}'],
    ] as const) {
      let told = new Map<number, number>();
      const grown = await memoryOf(target.hostPid, async () => {
        told = await sendAll(target.port, { callers: 400, path, start, bytes: 8 * MB - 1 });
      });
      expect([path, Math.max(grown, 50 * MB)]).toEqual([path, 50 * MB]);
      // A reset may discard some answers, but never all of them.
      expect([...told.keys()].toSorted()).toEqual(told.has(0) ? [0, 413] : [413]);
    }
    await othersAreServed();
  });

  test("of tens of thousands of values is refused before they are looked at [S3]", async () => {
    const values = (count: number) => `[${Array.from({ length: count }, () => "{}").join(",")}]`;
    const policy = `{"agent":"demo","policy":{"x":${values(100_000)}}}`;
    const refused = await target.quick("POST", "/api/sessions", hostile, policy);
    expect([refused.status, codeOf(refused.body)]).toEqual([413, "too_large"]);
  });

  test("holds a message of its limit and no longer one", async () => {
    const { id } = await target.create("/ask");
    await target.untilKind(id, "approval.requested");
    const send = (length: number) =>
      target.quick(
        "POST",
        `/api/sessions/${id}/messages`,
        hostile,
        JSON.stringify({ content: "x".repeat(length) }),
      );
    expect((await send(MB)).status).toBe(202);
    expect(await send(MB + 1)).toMatchObject({ status: 400 });
    expect(await send(100 * MB).catch(() => ({ status: 413 }))).toMatchObject({ status: 413 });
    await othersAreServed();
  });
});

describe("[P34] headers", () => {
  const asked = (bytes: number) =>
    target.ask("GET", "/api/agents", { headers: [["X-A", "b".repeat(bytes)]] });

  test("up to their limit are taken; past it they are too large, however far", async () => {
    const most = serverLimits.headerBytes;
    expect((await asked(most - 1000)).status).toBe(200);
    for (const bytes of [most + 1, most * 100]) {
      const { status, body } = await asked(bytes);
      expect([bytes, status, codeOf(body)]).toEqual([bytes, 431, "headers_too_large"]);
    }
    const many = Array.from({ length: 10_000 }, (_, n) => [`X-${n}`, "b"] as const);
    expect((await target.ask("GET", "/api/agents", { headers: many })).status).toBe(431);
    await othersAreServed();
  });
});

describe("[P34] connections of one address", () => {
  const sockets: Socket[] = [];
  let cut = 0;

  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** Connects from another loopback address, to stand for another client. */
  const open = (said: string, localAddress = "127.0.0.1") =>
    new Promise<Socket>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: target.port, localAddress });
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => cut++);
      socket.once("connect", () => resolve(socket));
      socket.write(said);
    });

  async function crowd(count: number, ...said: string[]): Promise<void> {
    for (let n = 0; n < count; n += 128) {
      const some = Array.from({ length: Math.min(128, count - n) }, (_, i) =>
        open(said[i % said.length] ?? ""),
      );
      await Promise.all(some);
    }
  }

  const get = (path: string, ...fields: string[]) =>
    `${[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${target.port}`, ...fields].join("\r\n")}\r\n\r\n`;

  async function health(from: string) {
    const socket = await open(get("/health", "Connection: close"), from);
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    return parse(text);
  }

  test("past the limit are told so, far past it are cut, and clients from other addresses are served", async () => {
    const { loopback, total } = connectionLimits;
    // A stream stays open for any time, also on a slow machine. One credential alone cannot have so
    // many.
    const streams: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { id } = await target.create();
      const bearer = `Authorization: Bearer ${await keyFor("default")}`;
      streams.push(get(`/api/sessions/${id}/stream`, bearer));
    }
    await crowd(loopback, ...streams);
    await expect
      .poll(async () => (await health("127.0.0.1")).status, { timeout: 20_000 })
      .toBe(503);
    expect(codeOf((await health("127.0.0.1")).body)).toBe("too_many_connections");
    expect((await health("127.0.0.2")).status).toBe(200);
    // More connections than the host accepts from all addresses together.
    cut = 0;
    await crowd(total - loopback + 100);
    expect((await health("127.0.0.2")).status).toBe(200);
    expect(cut).toBeGreaterThan(1000);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(async () => (await health("127.0.0.1")).status).toBe(200);
    await othersAreServed();
  });
});

describe("[P34] what one WebSocket may do", () => {
  const knock = (as: string | null) =>
    new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`, {
      headers: as === null ? {} : { authorization: `Bearer ${as}` },
    });
  const opened = (socket: WebSocket) =>
    new Promise<string>((resolve) => {
      socket.on("open", () => resolve("open"));
      socket.on("error", ({ message }) => resolve(message));
    });

  test("it follows a limited number of sessions, however often it asks", async () => {
    const most = streamLimits.subscriptions;
    const tenant = await keyFor("many");
    const ids: string[] = [];
    const body = JSON.stringify({ agent: "demo" });
    await inTurn(
      Array.from({ length: most + 1 }, (_, n) => n),
      async () => {
        const made = await target.quick("POST", "/api/sessions", tenant, body);
        ids.push(JSON.parse(made.body).session.id);
      },
    );
    const socket = knock(tenant);
    const heard = new Map<string, number>();
    let last = "";
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as { type: string; code?: string };
      last = message.code ?? message.type;
      heard.set(last, (heard.get(last) ?? 0) + 1);
    });
    await opened(socket);
    const say = (message: object) => socket.send(JSON.stringify(message));
    for (const session of ids) say({ type: "subscribe", session, after: 0 });
    await expect
      .poll(() => [heard.get("subscribed"), heard.get("limit_reached")])
      .toEqual([most, 1]);
    for (let n = 0; n < most * 100; n++) say({ type: "subscribe", session: ids.at(-1), after: 0 });
    await expect.poll(() => heard.get("limit_reached"), { timeout: 20_000 }).toBe(1 + most * 100);
    expect(heard.get("subscribed")).toBe(most);
    await othersAreServed();
    // Unsubscribing makes room for another subscription.
    say({ type: "unsubscribe", session: ids[0] });
    say({ type: "subscribe", session: ids.at(-1), after: 0 });
    await expect.poll(() => heard.get("subscribed")).toBe(most + 1);
    socket.terminate();
  });

  test("one credential has a limited number; the next gets an error, and another credential is accepted", async () => {
    const most = streamLimits.socketsPerCredential;
    const sockets = Array.from({ length: most }, () => knock(hostile));
    expect(new Set(await Promise.all(sockets.map(opened)))).toEqual(new Set(["open"]));
    for (let n = 0; n < 3; n++) {
      const extra = knock(hostile);
      const said = new Promise((resolve) => extra.on("message", (data) => resolve(String(data))));
      const closed = new Promise((resolve) => extra.on("close", resolve));
      expect(await said).toContain('"limit_reached"');
      expect(await closed).toBe(4429);
    }
    const other = knock(target.token);
    const pong = new Promise((resolve) => other.on("message", (data) => resolve(String(data))));
    await opened(other);
    other.send('{"type":"ping"}');
    expect(await pong).toContain('"pong"');
    for (const socket of [...sockets, other]) socket.terminate();
  });

  test("a limited number may be unauthenticated; one more replaces the oldest of them", async () => {
    const most = streamLimits.strangers;
    const sockets = Array.from({ length: most }, () => knock(null));
    expect(new Set(await Promise.all(sockets.map(opened)))).toEqual(new Set(["open"]));
    const closed = new Promise((resolve) => sockets[0]?.on("close", resolve));
    const late = knock(null);
    expect(await opened(late)).toBe("open");
    await closed;
    late.terminate();
    const known = knock(target.token);
    expect(await opened(known)).toBe("open");
    for (const socket of [...sockets, known]) socket.terminate();
  });

  test("a message has a maximum length", async () => {
    const heard = async (bytes: number) => {
      const socket = knock(target.token);
      await opened(socket);
      const first = new Promise((resolve) => socket.on("message", () => resolve("answered")));
      const closed = new Promise((resolve) => socket.on("close", resolve));
      socket.on("error", () => undefined);
      socket.send(`{"type":"ping"${" ".repeat(bytes - 15)}}`);
      const end = await Promise.race([first, closed]);
      socket.terminate();
      return end;
    };
    expect(await heard(streamLimits.messageBytes)).toBe("answered");
    expect(await heard(streamLimits.messageBytes + 1)).toBe(1009);
    expect(await heard(streamLimits.messageBytes * 100)).toBe(1009);
  });
});

describe("[P34] what waits", () => {
  const send = (id: string, as: string, content: string) =>
    target.quick("POST", `/api/sessions/${id}/messages`, as, JSON.stringify({ content }));

  test("a hundred messages may; the next is refused, and so are ten thousand more", async () => {
    const { id } = await target.create("/ask");
    await target.untilKind(id, "approval.requested");
    for (let n = 0; n < 100; n++) {
      expect((await send(id, target.token, `/say ${n}`)).status).toBe(202);
    }
    const next = await send(id, target.token, "/say one more");
    expect([next.status, codeOf(next.body)]).toEqual([429, "queue_full"]);
    const codes = new Map<string, number>();
    await inTurn(
      Array.from({ length: 10_000 }, (_, n) => n),
      async (n) => {
        const { status, body } = await send(id, hostile, `/say ${n}`);
        const code = `${status} ${codeOf(body)}`;
        codes.set(code, (codes.get(code) ?? 0) + 1);
      },
    );
    expect([...codes.keys()].sort()).toEqual(["429 queue_full", "429 rate_limited"]);
    expect((await target.session(id)).queued).toBe(100);
    const other = await target.create("/ask");
    expect((await send(other.id, target.token, "/say mine")).status).toBe(202);
    await othersAreServed();
  });

  test("a limited number of bytes of messages may, however few the messages are", async () => {
    const { id } = await target.create("/ask");
    await target.untilKind(id, "approval.requested");
    const long = "x".repeat(120_000);
    const statuses: number[] = [];
    for (let n = 0; n < 10; n++) statuses.push((await send(id, target.token, long)).status);
    expect(statuses.slice(0, 8)).toEqual(Array(8).fill(202));
    expect(statuses.slice(-1)).toEqual([429]);
    await othersAreServed();
  });

  test("a limited number of one-time links per tenant may", async () => {
    const tenant = await keyFor("maker");
    const link = (as: string) => target.quick("POST", "/api/links", as, "{}");
    for (let n = 0; n < 50; n++) expect((await link(tenant)).status).toBe(201);
    const { status, body } = await link(tenant);
    expect([status, codeOf(body)]).toEqual([429, "limit_reached"]);
    expect((await link(target.token)).status).toBe(201);
  });

  test("[S14] wrong codes are counted, and a right one is still accepted", async () => {
    const wrong = JSON.stringify({ code: "hfl_wrong" });
    const statuses = new Set<number>();
    for (let n = 0; n < 60; n++) {
      statuses.add((await target.ask("POST", "/api/login", { as: null, body: wrong })).status);
    }
    expect(statuses).toEqual(new Set([410, 429]));
    const { code } = await target.client.call("createLink", { body: {} });
    const body = JSON.stringify({ code });
    expect((await target.ask("POST", "/api/login", { as: null, body })).status).toBe(200);
  });

  test("[S14] wrong credentials are counted, and a right one is still accepted", async () => {
    const codes = new Set<string>();
    await inTurn(
      Array.from({ length: 1500 }, (_, n) => n),
      async (n) => {
        const { status, body } = await target.quick("GET", "/api/agents", `hfk_wrong${n}`);
        codes.add(`${status} ${codeOf(body)}`);
      },
    );
    expect([...codes].sort()).toEqual(["401 unauthorized", "429 rate_limited"]);
    await othersAreServed();
  });
});

describe("[P34] questions of an agent that asks too much", () => {
  const entry = [
    "--conditions=holdfast-source",
    fileURLToPath(new URL("asking-host.ts", import.meta.url)),
  ];
  const asking = new Target({ entry });
  const OPEN = 32;

  beforeAll(() => asking.start());
  afterAll(() => asking.end());

  test.each([OPEN, OPEN + 1, OPEN * 100])(
    "%d at once: a limited number wait for their answers, the others are refused, and other sessions are served",
    async (n) => {
      const body = { agent: "asking", message: `${n}` };
      const { session, run } = await asking.client.call("createSession", { body });
      const asked = async () => kinds(await asking.events(session.id), "approval.requested");
      await expect.poll(async () => (await asked()).length, { timeout: 10_000 }).toBe(OPEN);
      const other = { agent: "asking", message: "0" };
      const made = await asking.client.call("createSession", { body: other });
      await asking.untilKind(made.session.id, "run.completed");
      for (const { approvalId } of await asked()) {
        const params = { runId: run?.id ?? "", approvalId };
        await asking.client.call("decideApproval", { params, body: { decision: "allow" } });
      }
      const isOver = ({ kind }: Event) => kind === "run.completed" || kind === "run.failed";
      expect(await asking.until(session.id, isOver)).toMatchObject({ kind: "run.completed" });
      const events = await asking.events(session.id);
      // The agent's own count of answers.
      expect(JSON.stringify(events)).toContain(`${OPEN} answered, ${n - OPEN} refused`);
      expect(await asked()).toHaveLength(OPEN);
      expect(asking.said).toBe("");
    },
  );
});

test("[P34] the host printed no errors and still works", async () => {
  expect(target.said).toBe("");
  expect(await target.isWell()).toBe(true);
});
