/**
 * Requests from a page of another origin or behind a rebound name: a real host refuses them all.
 */

import type { RouteName, RouteSpec } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { bodyOf, DATA, everything, pathOf, table, type Victim, victimOf } from "./table.ts";
import { type Fields, Target } from "./target.ts";

const target = new Target();
/** A host that allows the name evil.test. */
const fooled = new Target({ flags: ["--allow-remote", "evil.test"] });
let victim: Victim;
let before: unknown;

beforeAll(async () => {
  await Promise.all([target.start(), fooled.start()]);
  victim = await victimOf(target);
  before = await everything(target, victim.ids.sessionId);
});

afterAll(() => Promise.all([target.end(), fooled.end()]));

const changing = table.filter(([, { method }]) => method !== "GET");

/** All but the headers is valid, even the credential, as if the page had stolen it. */
function send(name: RouteName, { method }: RouteSpec, headers: Fields, host?: string) {
  const body = bodyOf(name);
  const asking = { headers, ...(body === undefined ? {} : { body }) };
  return target.ask(method, pathOf(name, victim.ids), { ...asking, ...(host && { host }) });
}

const unreadable = (head: string) => expect(head).not.toMatch(/access-control-/i);

describe("[P36] a page of another origin", () => {
  const origins: Readonly<Record<string, Fields>> = {
    "a foreign Origin": [["Origin", "http://evil.test"]],
    "the Origin null": [["Origin", "null"]],
    "an empty Origin": [["Origin", ""]],
    "the Origin of another port here": [["Origin", "http://127.0.0.1:3000"]],
    "the Origin of a file": [["Origin", "file://"]],
    "an Origin that begins like ours": [["Origin", "http://127.0.0.1.evil.test"]],
    "no Origin, but said to be cross-site": [["Sec-Fetch-Site", "cross-site"]],
    "no Origin, but said to be same-site": [["Sec-Fetch-Site", "same-site"]],
  };

  test.each(Object.keys(origins))("cannot change data with %s", async (name) => {
    for (const [route, spec] of changing) {
      const { status, head, body } = await send(route, spec, origins[name] ?? []);
      expect([route, status]).toEqual([route, 403]);
      expect(body).toContain('"bad_origin"');
      unreadable(head);
    }
  });

  test.each([
    "text/plain",
    "text/plain; charset=application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/csp-report",
    "application/json, text/plain",
    "",
  ])("changes nothing by a body of type %j, the only ones it may send unasked", async (type) => {
    for (const [route, { method }] of changing) {
      const body = bodyOf(route) ?? "{}";
      const headers: Fields = [["Content-Type", type]];
      const { status } = await target.ask(method, pathOf(route, victim.ids), { headers, body });
      expect([route, status]).toEqual([route, 415]);
    }
  });

  test("gets no CORS permission, on any route", async () => {
    for (const [route, { method }] of table) {
      const headers: Fields = [
        ["Origin", "http://evil.test"],
        ["Access-Control-Request-Method", method],
        ["Access-Control-Request-Headers", "authorization, content-type"],
        ["Access-Control-Request-Private-Network", "true"],
      ];
      const { status, head } = await target.ask("OPTIONS", pathOf(route, victim.ids), {
        headers,
        as: null,
      });
      expect([route, status]).toEqual([route, 403]);
      unreadable(head);
    }
  });

  test("cannot read responses to requests without a preflight", async () => {
    for (const [route, { method, stream }] of table) {
      if (method !== "GET" || stream !== undefined) continue;
      const headers: Fields = [["Origin", "http://evil.test"]];
      const asked = { headers, as: null };
      const { head, body } = await target.ask("GET", pathOf(route, victim.ids), asked);
      unreadable(head);
      expect(head).toMatch(/cross-origin-resource-policy: same-origin/i);
      expect(body).not.toContain(DATA);
    }
  });

  test("opens no WebSocket, with the right token in its header or without", async () => {
    const { port, token } = target;
    const knock = (headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, { headers });
        socket.on("open", () => resolve("open"));
        socket.on("error", ({ message }) => resolve(message));
        socket.on("close", () => undefined);
      });
    for (const bearer of [{}, { authorization: `Bearer ${token}` }]) {
      for (const bad of [
        { origin: "http://evil.test" },
        { origin: "null" },
        { origin: `http://evil.test:${port}` },
        { "sec-fetch-site": "cross-site" },
        { host: `evil.test:${port}` },
        { host: `evil.test:${port}`, origin: `http://evil.test:${port}` },
      ]) {
        expect(await knock({ ...bearer, ...bad })).toContain("403");
      }
    }
  });
});

describe("[P36] a page behind a name that was bound to this address again", () => {
  const names = (port: number): string[] => [
    ...[`evil.test:${port}`, "evil.test", `localhost.evil.test:${port}`, `0.0.0.0:${port}`],
    ...[`127.0.0.1.evil.test:${port}`, "127.0.0.1", "127.0.0.1:1", `[::]:${port}`, `127.1:${port}`],
    ...[`127.0.0.1:${port}@evil.test`, `evil.test#127.0.0.1:${port}`, `2130706433:${port}`],
  ];

  test("can neither read nor change data, on any route, even with the right token", async () => {
    for (const host of names(target.port)) {
      for (const [route, spec] of table) {
        const { status, head, body } = await send(
          route,
          spec,
          [["Origin", `http://${host}`]],
          host,
        );
        expect([host, route, [400, 403].includes(status)]).toEqual([host, route, true]);
        expect(body).not.toContain(DATA);
        unreadable(head);
      }
    }
  });

  test("is also refused when it puts the name in the request line", async () => {
    for (const [route, { method }] of table) {
      const path = `http://evil.test:${target.port}${pathOf(route, victim.ids)}`;
      const body = bodyOf(route);
      const { status } = await target.ask(method, path, body === undefined ? {} : { body });
      expect([route, status]).toEqual([route, 403]);
    }
  });

  test("gets a response when the name is allowed, so the test can fail", async () => {
    const host = `evil.test:${fooled.port}`;
    const headers: Fields = [["Origin", `http://${host}`]];
    const body = JSON.stringify({ agent: "demo", title: DATA });
    const made = await fooled.ask("POST", "/api/sessions", { host, headers, body });
    expect(made.status).toBe(201);
    const read = await fooled.ask("GET", "/api/sessions", { host, headers });
    expect(read.body).toContain(DATA);
    // Only the allowed name works.
    const other = await fooled.ask("GET", "/api/sessions", { host: `other.test:${fooled.port}` });
    expect(other.status).toBe(403);
    const foreign: Fields = [["Origin", "http://other.test"]];
    const refused = await fooled.ask("POST", "/api/sessions", { host, headers: foreign, body });
    expect(refused.status).toBe(403);
  });
});

test("[P36] all data is unchanged", async () => {
  expect(await everything(target, victim.ids.sessionId)).toEqual(before);
  expect(target.said).toBe("");
});
