/** All routes of a real host, requested without a credential in every disguise. */

import type { RouteName, RouteSpec } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, parse } from "../../packages/server/src/access/testing/raw.ts";
import { Shell } from "../../packages/server/src/http/shell.ts";
import { bodyOf, closed, DATA, everything, pathOf, table, type Victim, victimOf } from "./table.ts";
import { type Asking, type Fields, Target } from "./target.ts";

const target = new Target();
let victim: Victim;
let before: unknown;

beforeAll(async () => {
  await target.start();
  victim = await victimOf(target);
  before = await everything(target, victim.ids.sessionId);
});

afterAll(() => target.end());

interface Disguised extends Asking {
  readonly method?: string;
  readonly path?: string;
}

/** Makes a request from a valid path with existing ids. */
type Disguise = (path: string, route: RouteSpec) => Disguised;

const method =
  (name: string): Disguise =>
  () => ({ method: name });
const fields =
  (...headers: Fields): Disguise =>
  () => ({ headers });
const path =
  (change: (path: string) => string): Disguise =>
  (right) => ({ path: change(right) });

const disguises: Readonly<Record<string, Disguise>> = {
  none: () => ({}),
  HEAD: method("HEAD"),
  OPTIONS: method("OPTIONS"),
  TRACE: method("TRACE"),
  PUT: method("PUT"),
  QUERY: method("QUERY"),
  PROPFIND: method("PROPFIND"),
  "lower case": method("get"),
  "an override to GET": fields(
    ["X-HTTP-Method-Override", "GET"],
    ["X-HTTP-Method", "GET"],
    ["X-Method-Override", "GET"],
  ),
  "an override by POST": (_, route) => ({
    method: "POST",
    headers: [["X-HTTP-Method-Override", route.method]],
  }),
  "an override in the query": path((right) => `${right}?_method=GET`),
  "x-original-url": fields(["X-Original-URL", "/health"], ["X-Rewrite-URL", "/health"]),
  "forwarded from here": fields(
    ["X-Forwarded-For", "127.0.0.1"],
    ["X-Real-IP", "127.0.0.1"],
    ["Forwarded", "for=127.0.0.1"],
  ),
  "//": path((right) => `/${right}`),
  "// inside": path((right) => right.replace(/\/(?=\w+$)/, "//")),
  "a trailing slash": path((right) => `${right}/`),
  "%2e": path((right) => `/%2e${right}`),
  "%2e%2e out of a public path": path((right) => `/health/%2e%2e${right}`),
  ".. out of a public path": path((right) => `/api/login/../..${right}`),
  "%2f": path((right) => `/${right.slice(1).replace("/", "%2f")}`),
  "an encoded letter": path((right) => `/%${right.charCodeAt(1).toString(16)}${right.slice(2)}`),
  "encoded twice": path((right) => `/%25${right.charCodeAt(1).toString(16)}${right.slice(2)}`),
  "upper case": path((right) => right.toUpperCase()),
  "a backslash": path((right) => right.replaceAll("/", "\\")),
  "%00": path((right) => `${right}%00`),
  ";": path((right) => `${right};.css`),
  "a fragment": path((right) => `${right}#/health`),
  "an extension": path((right) => `${right}.json`),
  "the whole address": path((right) => `http://127.0.0.1:${target.port}${right}`),
  "HTTP/1.0": () => ({ version: "1.0" }),
  "an upgrade to h2c": fields(["Connection", "Upgrade, HTTP2-Settings"], ["Upgrade", "h2c"]),
  "an expectation": fields(["Expect", "100-continue"]),
  "a range": fields(["Range", "bytes=0-10"], ["If-Range", "x"]),
  "a page that preflights": (_, route) => ({
    method: "OPTIONS",
    headers: [
      ["Origin", "http://evil.test"],
      ["Access-Control-Request-Method", route.method],
      ["Access-Control-Request-Headers", "authorization"],
    ],
  }),
};

const walked = (name: RouteName, route: RouteSpec, disguise: Disguise) => {
  const right = pathOf(name, victim.ids);
  const { method: as = route.method, path: way = right, ...asking } = disguise(right, route);
  const body = as === "GET" || as === "HEAD" ? undefined : bodyOf(name);
  return target.ask(as, way, { as: null, ...(body === undefined ? {} : { body }), ...asking });
};

/** The answer after `100 Continue`, which every client gets. */
const final = (answer: Answer) => (answer.status === 100 ? parse(answer.body) : answer);

describe("[P35] someone without a credential", () => {
  test("walks every route there is, in more than a dozen disguises", () => {
    expect(Object.keys(disguises).length).toBeGreaterThan(30);
    const open = table.filter(([, { access }]) => access === "public");
    expect(open.map(([name]) => name)).toEqual(["health", "login"]);
  });

  test.each(Object.keys(disguises))("reads no data: %s", async (name) => {
    for (const [route, spec] of closed) {
      const answer = await walked(route, spec, disguises[name] as Disguise);
      const { status, head, body } = final(answer);
      const where = `${route}: ${status} ${body}`;
      // Node itself answers malformed requests with 400 and 405.
      expect([400, 401, 403, 404, 405], where).toContain(status);
      expect(head, where).not.toMatch(/access-control-|set-cookie|location:/i);
      for (const id of [DATA, ...Object.values(victim.ids)]) expect(body, where).not.toContain(id);
    }
  });

  test("reads no data from public answers", async () => {
    const health = await target.ask("GET", "/health", { as: null });
    expect(Object.keys(JSON.parse(health.body))).toEqual(["status", "bootId", "version", "pid"]);
    for (const code of ["", "x", "hfl_", "../token", "\u0000", "' or 1=1 --"]) {
      const body = JSON.stringify({ code });
      const { status, body: told } = await target.ask("POST", "/api/login", { as: null, body });
      expect([400, 410, 429]).toContain(status);
      expect(told).not.toContain(DATA);
    }
  });

  test("gets an app shell without data, which may run only its own script and serves no other file", async () => {
    for (const path of new Shell().paths) {
      const { status, head, body } = await target.ask("GET", path, { as: null });
      expect([path, status]).toEqual([path, 200]);
      expect(head).toMatch(/content-security-policy: default-src 'none'; script-src 'self';/i);
      expect(head).toMatch(/frame-ancestors 'none'/);
      // The same for every client.
      expect((await target.ask("GET", path)).body).toBe(body);
      for (const id of [DATA, target.token, ...Object.values(victim.ids)]) {
        expect(body).not.toContain(id);
      }
      for (const more of [
        "/../package.json",
        "/..%2fpackage.json",
        "%2f..%2fserve.ts",
        "/.",
        "//",
      ]) {
        const { status: other, body: told } = await target.ask("GET", `${path}${more}`, {
          as: null,
        });
        expect([`${path}${more}`, other !== 200 || told === body]).toEqual([
          `${path}${more}`,
          true,
        ]);
      }
      const { status: posted } = await target.ask("POST", path, { as: null, body: "{}" });
      expect([path, posted]).toEqual([path, 401]);
    }
  });

  test("gets the same answer on every route and on none, so it learns of no data", async () => {
    const told = new Set<string>();
    for (const [route, spec] of closed) {
      const { status, body } = await walked(route, spec, disguises.none as Disguise);
      expect([route, status]).toEqual([route, 401]);
      told.add(body);
    }
    for (const nowhere of ["/api", "/api/nothing", "/.git/config", "/token", "/journal.db"]) {
      told.add((await target.ask("GET", nowhere, { as: null })).body);
    }
    expect([...told]).toEqual([expect.stringContaining('"unauthorized"')]);
  });

  test("the owner reads data on these routes, so the walk can fail", async () => {
    const read = async (name: RouteName) =>
      (await target.ask("GET", pathOf(name, victim.ids))).body;
    for (const name of ["listSessions", "getSession", "listEvents", "getTranscript"] as const) {
      expect(await read(name)).toContain(DATA);
    }
    for (const name of ["getQueue", "listDevices", "listKeys"] as const) {
      expect(await read(name)).toContain(DATA);
    }
  });

  test("left all data unchanged, and the host printed no errors", async () => {
    expect(await everything(target, victim.ids.sessionId)).toEqual(before);
    expect(target.said).toBe("");
  });
});
