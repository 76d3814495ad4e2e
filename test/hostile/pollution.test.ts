/** JSON that attacks prototypes, or sets fields that only the host may set. */

import type { RouteName, RouteSpec } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bodies, everything, pathOf, table, unknown, type Victim, victimOf } from "./table.ts";
import { Target } from "./target.ts";

const target = new Target();
let victim: Victim;
/** A separate credential, so that its rate limits do not affect other tests. */
let hostile = "";

beforeAll(async () => {
  await target.start();
  victim = await victimOf(target);
  const scopes = ["read" as const, "write" as const, "admin" as const];
  const body = { name: "hostile", scopes };
  hostile = (await target.client.call("createKey", { body })).secret;
});

afterAll(() => target.end());

const PLANTED = "PLANTED";

/** Names that the host looks up and that may be absent; a polluted prototype would supply them. */
const planted = {
  title: PLANTED,
  model: PLANTED,
  message: PLANTED,
  clientId: PLANTED,
  session: PLANTED,
  tenant: PLANTED,
  name: PLANTED,
  by: PLANTED,
  reason: PLANTED,
  pattern: PLANTED,
  path: `/${PLANTED}`,
  branch: PLANTED,
  isolation: PLANTED,
  agentName: PLANTED,
  token: PLANTED,
  waitId: PLANTED,
  kind: PLANTED,
  result: PLANTED,
  digest: PLANTED,
  damage: PLANTED,
  expiresAt: PLANTED,
  blob: PLANTED,
  policy: PLANTED,
  polluted: PLANTED,
};

/** Written as text, because an object literal would set the prototype and serialize to `{}`. */
function polluting(depth: number): string {
  const inner = JSON.stringify(planted);
  const one = `"__proto__":${inner},"constructor":{"prototype":${inner},"__proto__":${inner}}`;
  return depth === 0
    ? one
    : `${one},"__proto__.polluted":"${PLANTED}","nested":{${polluting(depth - 1)}}`;
}

/** The valid body with additions, at the top and inside every object that it may have. */
function polluted(name: RouteName): string[] {
  const right = JSON.stringify(bodies[name] ?? {}).slice(1, -1);
  const also = right === "" ? "" : `${right},`;
  const inside = (field: string, more = "") => `{${also}"${field}":{${more}${polluting(1)}}}`;
  return [
    `{${also}${polluting(2)}}`,
    `{${polluting(0)}${right === "" ? "" : `,${right}`}}`,
    inside("policy"),
    inside("workspace", '"kind":"empty",'),
    inside("result"),
    `{${also}"__proto__":null}`,
    `{${also}"__proto__":[]}`,
    `{"__proto__":{${right}}}`,
    `[{${polluting(0)}}]`,
  ];
}

const taking = table.filter(([, { body }]) => body !== undefined) as [RouteName, RouteSpec][];

/** Routes that would end what other tests need are called with unknown ids. */
const ending = new Set<RouteName>(["breakSession", "endSession", "pauseSession", "cancelRun"]);

describe("[S6] a prototype in a body", () => {
  test("has no effect, on any route that takes one", async () => {
    expect(taking.length).toBeGreaterThan(15);
    for (const [name, { method }] of taking) {
      for (const body of polluted(name)) {
        const ids = ending.has(name) ? unknown : victim.ids;
        const { status, body: told } = await target.ask(method, pathOf(name, ids), { body });
        expect([name, body, status < 500]).toEqual([name, body, true]);
        expect(told).not.toContain(PLANTED);
      }
    }
    expect(target.said).toBe("");
  });

  test("is on no object afterwards: a new session equals one of a new host", async () => {
    const fresh = await target.create();
    expect(fresh).toMatchObject({
      title: "New session",
      model: null,
      agentName: "demo",
      isolation: "none",
      damage: null,
      policy: {},
      workspace: { kind: "empty", path: null, branch: null },
    });
    const { run, seq } = await target.send(fresh.id, "/say as usual");
    expect(run?.sessionId).toBe(fresh.id);
    await target.untilKind(fresh.id, "run.completed", seq);
    const told = JSON.stringify(await target.events(fresh.id));
    expect(told).toContain("as usual");
    expect(told).not.toContain(PLANTED);
    const { client } = target;
    const key = await client.call("createKey", { body: { name: "plain" } });
    expect(key.key).toMatchObject({
      tenant: "default",
      scopes: ["read", "write"],
      expiresAt: null,
    });
    const { code } = await client.call("createLink");
    const login = await client.call("login", { body: { code } });
    expect(login).toMatchObject({ session: null, device: { name: "device", tenant: "default" } });
  });

  test("is in no answer of any route", async () => {
    for (const [name, { method, stream }] of table) {
      if (method !== "GET" || stream !== undefined) continue;
      const { body } = await target.ask("GET", pathOf(name, victim.ids));
      // The API description lists field names, without values.
      expect([name, body.includes(PLANTED)]).toEqual([name, false]);
    }
  });

  test("nested a hundred thousand deep is refused, and the host goes on", async () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
      ['{"__proto__":', "}"],
    ]) {
      const deep = `${open?.repeat(100_000)}1${close?.repeat(100_000)}`;
      const alone = await target.ask("POST", "/api/sessions", { body: deep });
      expect(alone.status).toBe(413);
      const body = `{"agent":"demo","policy":${deep}}`;
      const inside = await target.ask("POST", "/api/sessions", { body });
      expect(inside.status).toBe(413);
    }
    expect(await target.isWell()).toBe(true);
  });
});

/** Fields that only the host may set. */
const claims = {
  tenantId: "foreign",
  tenant_id: "foreign",
  role: "admin",
  admin: true,
  status: "ended",
  seq: 999_999,
  lastSeq: 999_999,
  id: unknown.sessionId,
  sessionId: unknown.sessionId,
  runId: unknown.runId,
  by: "root",
  user: "root",
  isolation: "full",
  ended: true,
  createdAt: "2000-01-01T00:00:00Z",
  epoch: 0,
  attempt: 99,
  hash: "0".repeat(64),
  lifecycle: "ended",
  currentRunId: unknown.runId,
  queued: 99,
  owner: "root",
};

describe("[S1] a field that is not the sender's to set", () => {
  test("is refused by its name, on any route, without effect", async () => {
    const before = await everything(target, victim.ids.sessionId);
    for (const [name, { method }] of taking) {
      for (const [field, value] of Object.entries(claims)) {
        const body = JSON.stringify({ ...bodies[name], [field]: value });
        const { status, body: told } = await target.quick(
          ...([method, pathOf(name, victim.ids), hostile, body] as const),
        );
        expect([name, field, status]).toEqual([name, field, 400]);
        expect(told).toContain(`body.${field}: unknown. Known fields: `);
      }
    }
    expect(await everything(target, victim.ids.sessionId)).toEqual(before);
    expect(target.said).toBe("");
  });

  test("cannot create a key or device with more rights than its creator", async () => {
    const { client } = target;
    const made = await client.call("createKey", {
      body: { name: "weak", tenant: "weak", scopes: ["read", "write"] },
    });
    const weak = target.as(made.secret);
    await expect(weak.call("createKey", { body: { name: "x" } })).rejects.toMatchObject({
      code: "forbidden",
    });
    const more = { scopes: ["admin"], tenant: "default" };
    const badInput = { code: "bad_input" };
    await expect(weak.call("createLink", { body: more as never })).rejects.toMatchObject(badInput);
    const { code } = await weak.call("createLink");
    const login = { code, name: "phone" };
    const nobody = target.as("");
    await expect(
      nobody.call("login", { body: { ...login, ...more } as never }),
    ).rejects.toMatchObject(badInput);
    const { token, device } = await nobody.call("login", { body: login });
    expect(device).toMatchObject({ tenant: "weak", name: "phone" });
    const asDevice = target.as(token);
    await expect(asDevice.call("listKeys")).rejects.toMatchObject({ code: "forbidden" });
    expect(await asDevice.call("listSessions")).toMatchObject({ sessions: [] });
    const boss = await client.call("createKey", {
      body: { name: "boss", tenant: "weak", scopes: ["read", "write", "admin"] },
    });
    for (const tenant of ["default", "other"]) {
      const body = { name: "x", tenant };
      await expect(target.as(boss.secret).call("createKey", { body })).rejects.toMatchObject({
        code: "forbidden",
      });
    }
    const own = await target.as(boss.secret).call("createKey", { body: { name: "x" } });
    expect(own.key).toMatchObject({ tenant: "weak" });
  });

  test("cannot set a policy that a session may not override", async () => {
    for (const policy of [
      { queue: 1_000_000 },
      { queueBytes: 1e12 },
      { approvalBytes: 1e12 },
      { idleStates: 1e9 },
      { tenantId: "other" },
      { toString: 1 },
      { idlePause: -1 },
      { idlePause: 1e300 },
      { idlePause: "1" },
    ]) {
      const body = JSON.stringify({ policy });
      const path = pathOf("updateSession", victim.ids);
      const { status } = await target.ask("PATCH", path, { body });
      expect([policy, status]).toEqual([policy, 400]);
    }
  });
});
