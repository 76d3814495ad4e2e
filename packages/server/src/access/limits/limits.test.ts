/** Limits for clients without a credential, over real sockets: many, slow, long and endless requests. */

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { routes } from "@holdfast/protocol/schemas";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Access } from "../credentials/access.ts";
import { type Guarded, guarded } from "../guard/middleware.ts";
import { testCredentials } from "../testing/credentials.ts";
import { bytesOf, type Listening, listen, parse, raw } from "../testing/raw.ts";
import { tableApp } from "../testing/table-app.ts";
import { type ServerLimits, serverLimits } from "./limits.ts";

let world: ReturnType<typeof testCredentials>;
let access: Access;
let listening: Listening;
const sockets: Socket[] = [];

beforeEach(() => {
  world = testCredentials();
  access = world.open();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listening.close();
  world.remove();
});

async function start(limits: Partial<ServerLimits> = {}) {
  const { app } = tableApp({ access, port: () => listening.port });
  listening = await listen(app, { ...serverLimits, ...limits });
}

const head = (method: string, target: string, ...lines: string[]) =>
  [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${listening.port}`,
    `Authorization: Bearer ${access.hostToken}`,
    "Content-Type: application/json",
    ...lines,
  ].join("\r\n");

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

/** Connects and sends `said`; `closed` resolves with all received text once the socket is closed. */
function client(said: string): Client {
  const socket = connect(listening.port, "127.0.0.1");
  sockets.push(socket);
  let told = "";
  socket.on("data", (chunk) => {
    told += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(told)));
  socket.write(said);
  return { socket, closed };
}

function dripping(into: Client, drop: string, every: number): Client {
  const timer = setInterval(() => into.socket.writable && into.socket.write(drop), every);
  into.socket.once("close", () => clearInterval(timer));
  return into;
}

const health = () =>
  raw(
    listening.port,
    bytesOf({
      method: "GET",
      target: "/health",
      headers: [["Host", `127.0.0.1:${listening.port}`]],
    }),
  );

const connections = () =>
  new Promise<number>((resolve, reject) =>
    listening.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe("a slow client", () => {
  const brief: Partial<ServerLimits> = {
    headers: 300,
    request: 600,
    answer: 500,
    idle: 500,
    refused: 100,
  };

  test("that never ends its headers, or never sends any, is told so and cut", async () => {
    await start(brief);
    const slow = dripping(client("GET /health HTTP/1.1\r\nHost: x\r\n"), "X-A: b\r\n", 50);
    const silent = client("");
    expect(parse(await slow.closed)).toMatchObject({
      status: 408,
      body: expect.stringContaining('"request_timeout"'),
    });
    expect(parse(await silent.closed).status).toBe(408);
  });

  test("that never ends its body is told so and cut, and its request has no effect", async () => {
    await start(brief);
    const begun = `${head("POST", "/api/sessions", "Content-Length: 1000")}\r\n\r\n{`;
    const slow = dripping(client(begun), " ", 50);
    expect(parse(await slow.closed).status).toBe(408);
    const chunked = `${head("POST", "/api/sessions", "Transfer-Encoding: chunked")}\r\n\r\n`;
    expect(parse(await dripping(client(chunked), "1\r\n \r\n", 50).closed).status).toBe(408);
  });

  test("that goes on sending after its refusal is cut, and little of it is read", async () => {
    await start(brief);
    const endless = client(`${head("POST", "/api/login", `Content-Length: ${1e12}`)}\r\n\r\n`);
    const piece = Buffer.alloc(1024 * 1024, " ");
    const more = () => endless.socket.writable && endless.socket.write(piece, more);
    const [served] = (await once(listening.server, "request").finally(more)) as [IncomingMessage];
    await once(served.socket, "close");
    expect(served.socket.bytesRead).toBeLessThan(1024 * 1024);
  });

  test("that does not read its answer is cut; a follower of a quiet stream stays connected", async () => {
    const app = new Hono<Guarded>();
    let end: () => void = () => undefined;
    app.use(guarded({ access, port: () => listening.port }));
    app.get("/openapi.json", (c) => c.text("x".repeat(50_000_000)));
    app.get("/api/sessions/:sessionId/stream", () => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from(": hello\n\n"));
          end = () => controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    listening = await listen(app, { ...serverLimits, ...brief });
    const follower = client(`${head("GET", "/api/sessions/x/stream")}\r\n\r\n`);
    const lazy = client(`${head("GET", "/openapi.json")}\r\n\r\n`);
    lazy.socket.pause();
    await vanished(1);
    expect(follower.socket.destroyed).toBe(false);
    end();
    expect(await follower.closed).toContain(": hello");
  });

  /** Waits until the server has `left` connections: a paused client does not notice that it was cut. */
  async function vanished(left: number): Promise<void> {
    for (let n = 0; n < 100; n++) {
      if ((await connections()) === left) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${await connections()} connections are still open, not ${left}`);
  }

  test("two thousand slow clients keep no one out, and are gone after 15 s [S4]", {
    timeout: 60_000,
  }, async () => {
    await start();
    const kinds = [
      () => dripping(client("GET /health HTTP/1.1\r\n"), "X-A: b\r\n", 5000),
      () =>
        dripping(client(`${head("POST", "/api/login", "Content-Length: 9")}\r\n\r\n`), " ", 5000),
      () => client(""),
      () => {
        const reader = client(`${head("GET", "/api/agents")}\r\n\r\n`);
        reader.socket.pause();
        return reader;
      },
    ];
    const crowd = Array.from({ length: 2000 }, (_, n) => kinds[n % kinds.length]?.() as Client);
    await Promise.all(crowd.map(({ socket }) => socket.connecting && once(socket, "connect")));
    const from = performance.now();
    let slowest = 0;
    while (performance.now() - from < 15_000) {
      const asked = performance.now();
      expect((await health()).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(slowest).toBeLessThan(2000);
    expect(await connections()).toBe(0);
  });
});

describe("too much", () => {
  beforeEach(() => start());

  const over = (lines: string[]) =>
    raw(listening.port, `${head("GET", "/health", "Connection: close", ...lines)}\r\n\r\n`);

  /** Measures the time of a request and the memory that remains allocated after it. */
  async function cost<T>(act: () => Promise<T>): Promise<{ told: T; ms: number; bytes: number }> {
    const [from, before] = [performance.now(), process.memoryUsage().rss];
    const told = await act();
    return { told, ms: performance.now() - from, bytes: process.memoryUsage().rss - before };
  }

  /** Keeps sending until it is answered or cut. */
  async function flood(start: string, piece: Buffer, bytes: number): Promise<number> {
    const flooding = client(start);
    const answered = new Promise<void>((resolve) => flooding.socket.once("data", () => resolve()));
    let sent = 0;
    const more = () => {
      while (sent < bytes && flooding.socket.writable) {
        sent += piece.length;
        if (!flooding.socket.write(piece)) break;
      }
    };
    flooding.socket.on("drain", more);
    more();
    await Promise.race([answered, flooding.closed]);
    flooding.socket.destroy();
    return parse(await flooding.closed).status;
  }

  const MB = 1024 * 1024;

  test("a huge header, or a hundred thousand headers, are refused by name [S3]", async () => {
    const long = await cost(() => over([`X-A: ${"b".repeat(20_000)}`]));
    expect(long.told).toMatchObject({
      status: 431,
      body: expect.stringContaining('"headers_too_large"'),
    });
    const many = await cost(() => over(Array.from({ length: 100_000 }, (_, n) => `X-${n}: b`)));
    expect(many.told.status).toBe(431);
    expect(Math.max(long.ms, many.ms)).toBeLessThan(1000);
    expect(many.bytes).toBeLessThan(50 * MB);
    expect((await over([`X-A: ${"b".repeat(10_000)}`])).status).toBe(200);
  });

  test("a huge body, with or without its length, is refused at once and never held [S3]", async () => {
    const announced = `${head("POST", "/api/sessions", `Content-Length: ${100 * MB}`)}\r\n\r\n`;
    expect(await raw(listening.port, announced)).toMatchObject({
      status: 413,
      body: expect.stringContaining('"too_large"'),
    });
    const piece = Buffer.alloc(64 * 1024, " ");
    const said = await cost(() => flood(announced, piece, 100 * MB));
    const chunked = `${head("POST", "/api/sessions", "Transfer-Encoding: chunked")}\r\n\r\n`;
    const tooMuch = routes.createSession.maxBody + 1;
    const body = `${tooMuch.toString(16)}\r\n${" ".repeat(tooMuch)}`;
    expect((await raw(listening.port, chunked + body)).status).toBe(413);
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), piece, Buffer.from("\r\n")]);
    const unsaid = await cost(() => flood(chunked, chunk, 100 * MB));
    for (const { told, ms, bytes } of [said, unsaid]) {
      expect(told).toBe(413);
      expect(ms).toBeLessThan(1500);
      expect(bytes).toBeLessThan(50 * MB);
    }
  });

  test("a client that reads only after it has sent its body still gets the refusal of that body", async () => {
    const request = once(listening.server, "request") as Promise<[IncomingMessage]>;
    const bytes = MB / 4;
    const { socket, closed } = client(
      `${head("POST", "/api/login", `Content-Length: ${bytes}`)}\r\n\r\n`,
    );
    socket.pause();
    // The host has sent its answer and the end of the connection.
    await once((await request)[0].socket, "finish");
    await new Promise((resolve) => setImmediate(resolve));
    const piece = Buffer.alloc(bytes / 16, " ");
    for (let sent = 0; sent < bytes; sent += piece.length) {
      await new Promise<void>((done) => socket.write(piece, () => done()));
    }
    socket.resume();
    expect(parse(await closed)).toMatchObject({
      status: 413,
      body: expect.stringContaining('"too_large"'),
    });
  });

  test("deeply nested or compressed input is refused without parsing it [S3]", async () => {
    const deep = Buffer.from(`${"[".repeat(1e6)}${"]".repeat(1e6)}`);
    const announced = `${head("POST", "/api/login", `Content-Length: ${deep.length}`)}\r\n\r\n`;
    expect((await raw(listening.port, announced)).status).toBe(413);
    const nested = await cost(() => flood(announced, deep, 1));
    expect(nested.told).toBe(413);
    const bomb = "Content-Length: 200000\r\nContent-Encoding: gzip";
    const packed = await cost(() =>
      flood(`${head("POST", "/api/login", bomb)}\r\n\r\n`, Buffer.alloc(200_000), 1),
    );
    expect(packed.told).toBe(415);
    expect(Math.max(nested.ms, packed.ms)).toBeLessThan(1500);
  });

  test.each([
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["two lengths", ["Content-Length: 5", "Content-Length: 6"]],
    ["two lengths alike", ["Content-Length: 5", "Content-Length: 5"]],
    ["chunks that are not last", ["Transfer-Encoding: chunked, identity"]],
    ["a length that is none", ["Content-Length: +5"]],
    ["a header before a colon", ["Transfer-Encoding : chunked"]],
  ])("meaning is refused: %s", async (_, lines) => {
    const smuggled = `${head("POST", "/api/sessions", ...lines)}\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n`;
    const { status, head: told } = await raw(listening.port, smuggled);
    expect(status).toBe(400);
    expect(told.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test("random bytes are refused by name", async () => {
    expect(await raw(listening.port, "\x16\x03\x01\x02\x00\x01")).toMatchObject({
      status: 400,
      body: expect.stringContaining('"bad_input"'),
    });
  });
});

describe("connections of one address", () => {
  test("past the limit get a refusal, far past it are cut, and other addresses go on", async () => {
    await start({ connections: { total: 1000, perAddress: 1, loopback: 5 } });
    const ask = `${head("GET", "/health")}\r\n\r\n`;
    const served = Array.from({ length: 5 }, () => client(ask));
    await Promise.all(served.map(({ socket }) => new Promise((on) => socket.once("data", on))));
    const sixth = parse(await client(ask).closed);
    expect(sixth).toMatchObject({
      status: 503,
      body: expect.stringContaining('"too_many_connections"'),
    });
    const crowd = Array.from({ length: 10 }, () => client(""));
    expect(await crowd.at(-1)?.closed).toBe("");
    for (const { socket } of crowd) socket.destroy();
    const [first] = served;
    const again = new Promise((resolve) => first?.socket.once("data", resolve));
    first?.socket.write(ask);
    expect(String(await again)).toContain("200 OK");
    first?.socket.destroy();
    await expect.poll(async () => (await health()).status).toBe(200);
  });
});
