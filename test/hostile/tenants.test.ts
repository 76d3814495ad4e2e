/** Two tenants on one real host: data of one tenant looks like missing data to the other. */

import { createClient } from "@holdfast/client";
import type { RouteName, RouteSpec } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  bodyOf,
  DATA,
  everything,
  type Ids,
  pathOf,
  table,
  unknown,
  type Victim,
  victimOf,
} from "./table.ts";
import { Target } from "./target.ts";

const target = new Target();
let victim: Victim;
let before: unknown;
/** A key of another tenant, with every scope. */
let other = "";
let otherKey = "";

beforeAll(async () => {
  await target.start();
  victim = await victimOf(target);
  const made = await target.client.call("createKey", {
    body: { name: "other", tenant: "other", scopes: ["read", "write", "admin"] },
  });
  other = made.secret;
  otherKey = made.key.id;
  before = await everything(target, victim.ids.sessionId);
});

afterAll(() => target.end());

const led = table.filter(([, { path, wholeHost }]) => path.includes(":") && !wholeHost);

/** Sets of ids in which one is real and the others are unknown. */
const mixes = (ids: Ids): Ids[] =>
  Object.entries(ids).map(([name, id]) => ({ ...unknown, [name]: id }));

async function asked(name: RouteName, { method }: RouteSpec, ids: Ids, as: string) {
  const body = bodyOf(name);
  const path = pathOf(name, ids);
  const { status, body: told } = await target.ask(method, path, {
    as,
    ...(body === undefined ? {} : { body }),
  });
  return { status, told };
}

describe("[P37] [S1] what belongs to another tenant", () => {
  test("is not found on any route, with the same answer as for an unknown id", async () => {
    expect(led.length).toBeGreaterThan(25);
    for (const [name, spec] of led) {
      const nobodys = await asked(name, spec, unknown, other);
      expect([name, nobodys.status]).toEqual([name, 404]);
      for (const ids of [victim.ids, ...mixes(victim.ids)]) {
        expect([name, await asked(name, spec, ids, other)]).toEqual([name, nobodys]);
      }
    }
    expect(await everything(target, victim.ids.sessionId)).toEqual(before);
  });

  test("is found by its own tenant, so the routes refuse the tenant and not the request", async () => {
    const reading = led.filter(([, { method, stream }]) => method === "GET" && !stream);
    for (const [name, spec] of reading) {
      const { status } = await asked(name, spec, victim.ids, target.token);
      expect([name, status]).toEqual([name, 200]);
    }
  });

  test("is in no list and no search result, with any cursor or limit", async () => {
    const client = target.as(other);
    await client.call("createSession", { body: { agent: "demo", title: "Own" } });
    // A cursor that stands before all sessions of the other tenant.
    const cursor = Buffer.from(`${Date.now() + 1e9} ${victim.ids.sessionId}`).toString("base64url");
    for (const query of [{}, { q: DATA }, { q: "" }, { limit: 200 }, { cursor }]) {
      const { sessions } = await client.call("listSessions", { query });
      expect(sessions.filter(({ title }) => title !== "Own")).toEqual([]);
    }
    expect((await client.call("listDevices")).devices).toEqual([]);
    expect((await client.call("listKeys")).keys.map(({ id }) => id)).toEqual([otherKey]);
  });

  test("cannot be followed over a WebSocket, and its changes are not sent", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/ws`, {
      headers: { authorization: `Bearer ${other}` },
    });
    const heard: { type: string; session?: string; code?: string; message?: string }[] = [];
    const say = (message: object) => socket.send(JSON.stringify(message));
    socket.on("message", (data) => heard.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.on("open", resolve));
    say({ type: "subscribe_sessions" });
    for (const session of [victim.ids.sessionId, unknown.sessionId]) {
      for (const after of [0, 1, 999_999, undefined]) say({ type: "subscribe", session, after });
    }
    await expect.poll(() => heard.filter(({ type }) => type === "error").length).toBe(8);
    const params = { sessionId: victim.ids.sessionId };
    await target.client.call("updateSession", { params, body: { title: `${DATA} 2` } });
    await target.client.call("updateSession", { params, body: { title: DATA } });
    const own = await target.as(other).call("createSession", { body: { agent: "demo" } });
    // The message about their own session shows that all earlier messages have arrived.
    await expect.poll(() => heard.map(({ session }) => session)).toContain(own.session.id);
    socket.terminate();
    const errors = heard.filter(({ type }) => type === "error");
    const words = new Set(errors.map(({ code, message }) => `${code} ${message}`));
    expect([...words]).toEqual(["session_not_found Session not found"]);
    const told = heard.filter(({ type }) => type !== "error");
    expect(JSON.stringify(told)).not.toContain(victim.ids.sessionId);
    before = await everything(target, victim.ids.sessionId);
  });

  test("is not opened by a ticket, a link or a device of theirs", async () => {
    const client = target.as(other);
    for (const route of ["followSession", "followRun"] as const) {
      const answers = [];
      for (const ids of [victim.ids, unknown]) {
        const { ticket } = await client.call("createTicket", { body: {} });
        const path = `${pathOf(route, ids)}?ticket=${ticket}&after=0`;
        const { status, body } = await target.ask("GET", path, { as: null });
        answers.push({ status, body });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]?.status).toBe(404);
    }
    const links = [];
    for (const session of [victim.ids.sessionId, unknown.sessionId]) {
      const body = JSON.stringify({ session });
      const { status, body: told } = await target.ask("POST", "/api/links", { as: other, body });
      links.push({ status, told });
    }
    expect(links[0]).toEqual(links[1]);
    expect(links[0]?.status).toBe(404);
    const { code } = await client.call("createLink", { body: {} });
    const { token } = await target.as("").call("login", { body: { code } });
    const spec = table.find(([name]) => name === "getSession")?.[1] as RouteSpec;
    expect((await asked("getSession", spec, victim.ids, token)).status).toBe(404);
  });

  test("is not moved by its own resume token in another tenant's hands", async () => {
    const { runId, approvalId } = victim.ids;
    const { token } = await target.client.call("mintToken", { params: { runId }, body: {} });
    before = await everything(target, victim.ids.sessionId);
    const ways = [
      ["decideApproval", { decision: "allow", token }],
      ["resumeRun", { token }],
      ["resumeSession", { token }],
    ] as const;
    for (const [name, sent] of ways) {
      const body = JSON.stringify(sent);
      const { status } = await target.ask("POST", pathOf(name, victim.ids), { as: other, body });
      expect([name, status]).toEqual([name, 404]);
    }
    // In a session of their own the token is invalid.
    const own = await target.as(other).call("createSession", {
      body: { agent: "demo", message: "/ask" },
    });
    const body = JSON.stringify({ token });
    const path = `/api/sessions/${own.session.id}/resume`;
    const { status } = await target.ask("POST", path, { as: other, body });
    expect([403, 404]).toContain(status);
    expect(approvalId).toMatch(/^appr_/);
    expect(await everything(target, victim.ids.sessionId)).toEqual(before);
  });

  test("is not affected by the same idempotency key, client id or name", async () => {
    const headers = [["Idempotency-Key", "the same"]] as const;
    const body = JSON.stringify({ agent: "demo", clientId: "the same" });
    const ids = [];
    for (const as of [target.token, other, target.token, other]) {
      const { body: told } = await target.ask("POST", "/api/sessions", { as, headers, body });
      ids.push(JSON.parse(told).session.id as string);
    }
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids.slice(0, 2)).toEqual(ids.slice(2));
  });

  test("is not reached by a key that names it: only the host's own token makes keys for others", async () => {
    for (const tenant of ["default", "", "..", "other/../default", "OTHER"]) {
      const body = JSON.stringify({ name: "x", tenant });
      const { status } = await target.ask("POST", "/api/keys", { as: other, body });
      expect([tenant, [400, 403].includes(status)]).toEqual([tenant, true]);
    }
  });

  test("is not reached through the host: no break, no directory of its user", async () => {
    const { session } = await target.as(other).call("createSession", { body: { agent: "demo" } });
    const bootId = (await target.client.call("health")).bootId;
    for (const what of ["host", "holder", "agent"]) {
      const path = `/api/sessions/${session.id}/break`;
      const { status } = await target.ask("POST", path, { as: other, body: `{"what":"${what}"}` });
      expect([what, status]).toEqual([what, 403]);
    }
    expect((await target.client.call("health")).bootId).toBe(bootId);
    for (const path of ["/etc", "/proc/self/cwd", "/tmp", "/nowhere-at-all"]) {
      const workspace = { kind: "in-place", path };
      const body = JSON.stringify({ agent: "demo", workspace });
      const { status } = await target.ask("POST", "/api/sessions", { as: other, body });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  test("can be named only by the host's own token", async () => {
    const named = { headers: [["Holdfast-Tenant", "other"]] as const };
    const own = await target.as(other).call("listSessions", { query: { limit: 200 } });
    const seen = await target.ask("GET", "/api/sessions?limit=200", named);
    const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id).toSorted();
    expect(ids(JSON.parse(seen.body).sessions)).toEqual(ids(own.sessions));
    expect(own.sessions.length).toBeGreaterThan(0);
    const tenant = { headers: [["Holdfast-Tenant", "default"]] as const };
    for (const as of [other, victim.deviceToken]) {
      const header = as === other ? tenant : named;
      expect((await target.ask("GET", "/api/sessions", { as, ...header })).status).toBe(403);
    }
    // The key is revoked, and the owner can still end the session that it started.
    const lost = await target.client.call("createKey", { body: { name: "lost", tenant: "lost" } });
    const { session } = await target.as(lost.secret).call("createSession", {
      body: { agent: "demo", message: "/ask" },
    });
    await target.client.call("revokeKey", { params: { keyId: lost.key.id } });
    const inLost = { headers: [["Holdfast-Tenant", "lost"]] as const };
    const ended = await target.ask("POST", `/api/sessions/${session.id}/end`, inLost);
    expect([ended.status, JSON.parse(ended.body).session.lifecycle]).toEqual([200, "ended"]);
  });

  test("is paused only with the whole host, by those who may stop it", async () => {
    const { session } = await target.as(other).call("createSession", {
      body: { agent: "demo", message: "/ask" },
    });
    const inOther = createClient({ url: target.url, token: target.token, tenant: "other" });
    const status = async () =>
      (await inOther.call("getStatus", { params: { sessionId: session.id } })).runtime.state;
    await expect.poll(status).toBe("live");
    expect((await target.ask("POST", "/api/pause", { as: other, body: "{}" })).status).toBe(403);
    const { paused, failed } = await target.client.call("pauseHost", { body: {} });
    expect([paused > 0, failed]).toEqual([true, []]);
    expect(await status()).not.toBe("live");
  });

  test("[P34] is not slowed down by the other's rate limits", async () => {
    const path = pathOf("revokeDevice", unknown);
    const many = Array.from({ length: 900 }, () => target.ask("DELETE", path, { as: other }));
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    const { status } = await target.ask("DELETE", path);
    expect(status).toBe(404);
  });
});
