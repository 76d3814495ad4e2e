/** Quotas of known clients, and limits on guessing by unknown ones, on real hosts. */

import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { SESSION_BYTES } from "../../packages/server/src/journal/blobs.ts";
import { inTurn, Target } from "./target.ts";

const problemIn = (body: string) => JSON.parse(body) as Problem;

describe("[P34] open sessions", () => {
  const env = { HOLDFAST_SESSIONS_PER_TENANT: "3", HOLDFAST_SESSIONS: "5" };
  const target = new Target({ env });
  let other = "";

  beforeAll(async () => {
    await target.start();
    const body = { name: "other", tenant: "other" };
    other = (await target.client.call("createKey", { body })).secret;
  });
  afterAll(() => target.end());

  const make = (as = target.token) =>
    target.quick("POST", "/api/sessions", as, JSON.stringify({ agent: "demo" }));

  test("stop at the tenant's limit, by one and by hundreds; another tenant's go on", async () => {
    for (let n = 0; n < 3; n++) expect((await make()).status).toBe(201);
    const codes = new Set<string>();
    await inTurn(
      Array.from({ length: 300 }, (_, n) => n),
      async () => {
        const { status, body } = await make();
        codes.add(`${status} ${problemIn(body).code}`);
      },
    );
    expect([...codes]).toEqual(["429 limit_reached"]);
    expect((await make(other)).status).toBe(201);
  });

  test("are counted over a restart, and ending one makes room", async () => {
    await target.kill();
    await target.start();
    expect((await make()).status).toBe(429);
    const { sessions } = await target.client.call("listSessions");
    const params = { sessionId: sessions[0]?.id ?? "" };
    await target.client.call("endSession", { params });
    expect((await make()).status).toBe(201);
    expect((await make()).status).toBe(429);
    // After one more session the whole host is full, for every tenant.
    expect((await make(other)).status).toBe(201);
    const full = await make(other);
    expect([full.status, problemIn(full.body).detail]).toEqual([
      429,
      expect.stringContaining("This host has reached its limit"),
    ]);
    expect(target.said).toBe("");
  });
});

describe("[P34] long output of a session", () => {
  const target = new Target();

  beforeAll(() => target.start());
  afterAll(() => target.end());

  /** Lets the agent send more text than an event holds; returns the blob's hash. */
  async function speak(id: string): Promise<string> {
    const { seq } = await target.send(id, "/bigline=300000");
    const added = await target.untilKind(id, "part.added", seq);
    await target.untilKind(id, "run.completed", seq);
    return String(added.part.hash);
  }

  test("is truncated when its storage is full: the work continues, and other sessions are kept whole", async () => {
    const [full, other] = [await target.create(), await target.create()];
    const folder = join(target.data, "blobs", full.id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "0".repeat(64)), "");
    truncateSync(join(folder, "0".repeat(64)), SESSION_BYTES);
    const read = (id: string, hash: string) =>
      target.quick("GET", `/api/sessions/${id}/blobs/${hash}`);
    for (let n = 0; n < 3; n++) {
      const left = await read(full.id, await speak(full.id));
      expect([left.status, problemIn(left.body).code]).toEqual([404, "not_found"]);
    }
    const { notice } = await target.client.call("getStatus", { params: { sessionId: full.id } });
    expect(notice).toMatchObject({ code: "output_limit" });
    const kept = await read(other.id, await speak(other.id));
    expect([kept.status, kept.body.length > 300_000]).toEqual([200, true]);
    expect(target.said).toBe("");
  });
});

describe("[P34] changes by one credential", () => {
  const env = { HOLDFAST_CHANGES_AT_ONCE: "20", HOLDFAST_CHANGES_PER_SECOND: "1" };
  const target = new Target({ env });

  beforeAll(() => target.start());
  afterAll(() => target.end());

  test("are as many as the host was told to take; others and readers are not limited", async () => {
    const body = { name: "busy", tenant: "default" };
    const { secret } = await target.client.call("createKey", { body });
    const codes = new Map<number, number>();
    await inTurn(
      Array.from({ length: 2000 }, (_, n) => n),
      async () => {
        const { status } = await target.quick("POST", "/api/tickets", secret, "{}");
        codes.set(status, (codes.get(status) ?? 0) + 1);
      },
    );
    expect([...codes.keys()].sort()).toEqual([201, 429]);
    expect(codes.get(201)).toBeGreaterThanOrEqual(20);
    expect(codes.get(201)).toBeLessThan(100);
    const { head } = await target.ask("POST", "/api/tickets", { as: secret, body: "{}" });
    expect(head.toLowerCase()).toContain("retry-after: 1");
    expect((await target.quick("GET", "/api/agents", secret)).status).toBe(200);
    expect((await target.quick("POST", "/api/tickets", target.token, "{}")).status).toBe(201);
  });
});

describe("[S14] guesses in a socket's first message", () => {
  const target = new Target();

  beforeAll(() => target.start());
  afterAll(() => target.end());

  /** The close code of a socket that sent this token. */
  const closedBy = (token: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`);
      socket.on("open", () => socket.send(JSON.stringify({ type: "auth", token })));
      socket.on("error", reject);
      socket.on("close", resolve);
    });

  test("count with those of requests, and a right one is still accepted", async () => {
    const codes = new Set<number>();
    await inTurn(
      Array.from({ length: 800 }, (_, n) => n),
      async (n) => {
        codes.add(await closedBy(`hfk_wrong${n}`));
      },
    );
    expect([...codes].sort()).toEqual([4401, 4429]);
    // Ten guesses a second are answered, so the first of these may be among them.
    const guesses = Array.from({ length: 50 }, () =>
      target.quick("GET", "/api/agents", "hfk_wrong"),
    );
    const wrong = (await Promise.all(guesses)).find(({ status }) => status === 429);
    expect(problemIn(wrong?.body ?? "{}").code).toBe("rate_limited");
    const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`);
    const pong = new Promise((resolve) => socket.on("message", (data) => resolve(String(data))));
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "auth", token: target.token }));
      socket.send('{"type":"ping"}');
    });
    expect(await pong).toContain('"pong"');
    socket.terminate();
    expect(target.said).toBe("");
  });

  test("do not include a valid key without the right to read, which gets its own error", async () => {
    const body = { name: "writer", scopes: ["write" as const] };
    const { secret } = await target.client.call("createKey", { body });
    expect(await closedBy(secret)).toBe(4401);
    const asked = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const refused = await new Promise((resolve) => asked.on("error", resolve));
    expect(String(refused)).toContain("403");
  });
});

describe("[P37] information about every tenant", () => {
  const target = new Target();

  beforeAll(() => target.start());
  afterAll(() => target.end());

  test("is for the host's own tenant with every right", async () => {
    const metrics = async (tenant: string, ...scopes: ("read" | "write" | "admin")[]) => {
      const body = { name: "scraper", tenant, scopes };
      const { secret } = await target.client.call("createKey", { body });
      const { status, body: told } = await target.quick("GET", "/metrics", secret);
      if (status !== 200) expect(told).not.toContain("holdfast_");
      return status;
    };
    expect((await target.quick("GET", "/metrics")).status).toBe(200);
    expect(await metrics("default", "admin")).toBe(200);
    expect(await metrics("default", "read", "write")).toBe(403);
    expect(await metrics("other", "read", "write", "admin")).toBe(403);
  });
});
