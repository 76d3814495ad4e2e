/** Requests every route over real sockets with every kind of missing, wrong or forged credential. */

import type { RouteSpec, Scope } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../base/sha256.ts";
import type { Access } from "./credentials/access.ts";
import { Failures } from "./limits/failures.ts";
import { keyFor, known, pair, testCredentials } from "./testing/credentials.ts";
import { type Answer, bytesOf, type Listening, listen, type Message, raw } from "./testing/raw.ts";
import { DATA, pathOf, type TableApp, tableApp } from "./testing/table-app.ts";

const table: readonly [string, RouteSpec][] = Object.entries(routes);
const closed = table.filter(([, { access }]) => access !== "public");
const changing = table.filter(([, { method }]) => method !== "GET");

let world: ReturnType<typeof testCredentials>;
let access: Access;
let served: TableApp;
let listening: Listening;

beforeAll(async () => {
  world = testCredentials();
  access = world.open();
  served = tableApp({
    access,
    port: () => listening.port,
    failures: new Failures(world.clock, generous),
    changes: generous,
  });
  listening = await listen(served.app);
});

afterAll(async () => {
  await listening.close();
  world.remove();
});

beforeEach(() => {
  served.effects.length = 0;
});

/** High, because thousands of requests come from one address here; other tests cover the limits. */
const generous = { burst: 100_000, perSecond: 1000 };

type Fields = readonly (readonly [string, string])[];

const bearer = (secret: string): Fields => [["Authorization", `Bearer ${secret}`]];
const hostField = (host = `127.0.0.1:${listening.port}`): Fields => [["Host", host]];
const json: Fields = [["Content-Type", "application/json"]];

/** A request that is valid except for the fields in `spoilt`. */
function message(route: RouteSpec, spoilt: Partial<Message> = {}): Message {
  return {
    method: route.method,
    target: pathOf(route),
    headers: [...hostField(), ...(route.body ? json : []), ...bearer(access.hostToken)],
    ...(route.body && { body: "{}" }),
    ...spoilt,
  };
}

const send = (sent: Message): Promise<Answer> => raw(listening.port, bytesOf(sent));

/** A request without a credential, or with other headers in its place. */
const by = (route: RouteSpec, fields: Fields = [], spoilt: Partial<Message> = {}): Message =>
  message(route, { headers: [...hostField(), ...(route.body ? json : []), ...fields], ...spoilt });

const lacking: Record<Scope, readonly Scope[]> = {
  read: ["write", "admin"],
  write: ["read", "admin"],
  admin: ["read", "write"],
};

interface Secrets {
  readonly revokedDevice: string;
  readonly revokedKey: string;
  readonly expiredKey: string;
  readonly usedTicket: string;
  readonly without: Record<Scope, string>;
}

function badSecrets(): Secrets {
  const device = pair(access);
  access.revokeDevice(access.owner, device.device.id);
  const key = keyFor(access, "default");
  access.revokeKey(access.owner, key.key.id);
  const soon = new Date(world.clock.now() + 1000).toISOString();
  const expiring = keyFor(access, "default", ["read", "write", "admin"], soon);
  known(access, expiring.secret);
  world.clock.advance(1000);
  const { ticket } = access.createTicket(access.owner);
  access.useTicket(ticket);
  const without = Object.fromEntries(
    Object.entries(lacking).map(([scope, others]) => [
      scope,
      keyFor(access, "default", others).secret,
    ]),
  ) as Record<Scope, string>;
  return {
    revokedDevice: device.token,
    revokedKey: key.secret,
    expiredKey: expiring.secret,
    usedTicket: ticket,
    without,
  };
}

let secrets: Secrets;

beforeAll(() => {
  secrets = badSecrets();
});

type Variant = (route: RouteSpec) => Message;

const plain = (route: RouteSpec, target: (path: string) => string): Message =>
  by(route, [], { target: target(pathOf(route)) });
const query =
  (name: string): Variant =>
  (route) =>
    plain(route, (path) => `${path}?${name}=${access.hostToken}`);
const field =
  (name: string, value: () => string): Variant =>
  (route) =>
    by(route, [[name, value()]]);

const uninvited: Record<string, Variant> = {
  "no credential": (route) => by(route),
  "a wrong one": (route) => by(route, bearer("hfk_wrong")),
  "a long one": (route) => by(route, bearer("x".repeat(8000))),
  "an empty one": field("Authorization", () => "Bearer "),
  "a revoked device": (route) => by(route, bearer(secrets.revokedDevice)),
  "a revoked key": (route) => by(route, bearer(secrets.revokedKey)),
  "an expired key": (route) => by(route, bearer(secrets.expiredKey)),
  "a key of other scopes": (route) => by(route, bearer(secrets.without[route.access as Scope])),
  "a link's code": (route) => by(route, bearer(access.createLink(access.owner, null).code)),
  "a ticket as bearer": (route) => by(route, bearer(access.createTicket(access.owner).ticket)),
  "a used ticket": (route) => plain(route, (path) => `${path}?ticket=${secrets.usedTicket}`),
  "the hash of a token": (route) => by(route, bearer(sha256(access.hostToken))),
  "basic authentication": field(
    "Authorization",
    () => `Basic ${Buffer.from(`host:${access.hostToken}`).toString("base64")}`,
  ),
  "a cookie": field("Cookie", () => `token=${access.hostToken}; authorization=Bearer x`),
  "x-api-key": field("X-Api-Key", () => access.hostToken),
  "proxy-authorization": field("Proxy-Authorization", () => `Bearer ${access.hostToken}`),
  "x-forwarded-for loopback": field("X-Forwarded-For", () => "127.0.0.1"),
  "x-original-url": field("X-Original-URL", () => "/health"),
  "?token=": query("token"),
  "?access_token=": query("access_token"),
  "?authorization=": query("authorization"),
  HEAD: (route) => by(route, [], { method: "HEAD" }),
  OPTIONS: (route) => by(route, [], { method: "OPTIONS" }),
  TRACE: (route) => by(route, [], { method: "TRACE" }),
  PUT: (route) => by(route, [], { method: "PUT" }),
  "an override of the method": (route) =>
    by(route, [
      ["X-HTTP-Method-Override", "GET"],
      ["X-Method-Override", "GET"],
    ]),
  "an override in the query": (route) => plain(route, (path) => `${path}?_method=GET`),
  "a doubled slash": (route) => plain(route, (path) => `/${path}`),
  "a doubled slash inside": (route) => plain(route, (path) => path.replace(/\/(?=\w+$)/, "//")),
  "a trailing slash": (route) => plain(route, (path) => `${path}/`),
  "%2e": (route) => plain(route, (path) => `/%2e${path}`),
  "%2e%2e from a public path": (route) => plain(route, (path) => `/health/%2e%2e${path}`),
  ".. from a public path": (route) => plain(route, (path) => `/health/..${path}`),
  "%2f for a slash": (route) => plain(route, (path) => `/${path.slice(1).replace("/", "%2f")}`),
  "an encoded letter": (route) =>
    plain(route, (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`),
  "upper case": (route) => plain(route, (path) => path.toUpperCase()),
  "a NUL": (route) => plain(route, (path) => `${path}%00`),
  "a semicolon": (route) => plain(route, (path) => `${path};/health`),
  "a fragment": (route) => plain(route, (path) => `${path}#/health`),
  "an absolute target": (route) =>
    plain(route, (path) => `http://127.0.0.1:${listening.port}${path}`),
};

describe("someone who may not come in", () => {
  test("there are enough disguises, and every route that is not public is walked", () => {
    expect(Object.keys(uninvited).length).toBeGreaterThanOrEqual(12);
    const open = table.filter(([, { access: scope }]) => scope === "public");
    expect(open.map(([name]) => name)).toEqual(["health", "login"]);
  });

  test.each(Object.keys(uninvited))(
    "reads nothing and does nothing with %s [P35]",
    async (name) => {
      const statuses = new Set<number>();
      for (const [route, spec] of closed) {
        const sent = uninvited[name]?.(spec) as Message;
        const answer = await send(sent);
        expect([401, 403, 404], `${route}: ${sent.method} ${sent.target}`).toContain(answer.status);
        expect(answer.body, route).not.toContain(DATA);
        statuses.add(answer.status);
      }
      expect(served.effects).toEqual([]);
      // All routes give the same answer, so that it reveals none of them.
      expect([...statuses]).toHaveLength(1);
    },
  );

  test("cannot tell a missing path from an existing one [P35]", async () => {
    const bodies = new Set<string>();
    for (const target of ["/api/nothing", "/api/sessions", "/api", "/nothing", "/"]) {
      const answer = await send({ method: "GET", target, headers: hostField() });
      expect(answer.status).toBe(401);
      bodies.add(answer.body);
    }
    expect(bodies.size).toBe(1);
  });

  test("reads no data where an answer is public [P35]", async () => {
    for (const [, spec] of table.filter(([, { access: scope }]) => scope === "public")) {
      const answer = await send(by(spec, [], { method: "HEAD" }));
      expect(answer.body).toBe("");
    }
    const health = await send(by(routes.health));
    expect(health).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  test.each(["first", "last"])(
    "gains nothing by a second header, right or wrong %s",
    async (at) => {
      const right = bearer(access.hostToken);
      const wrong = bearer("hfk_wrong");
      for (const [, spec] of closed) {
        const answer = await send(
          by(spec, at === "first" ? [...wrong, ...right] : [...right, ...wrong]),
        );
        expect(answer.status).toBe(400);
      }
      expect(served.effects).toEqual([]);
    },
  );
});

test("a valid credential reaches every route, which shows that the walk can find them", async () => {
  for (const [name, spec] of table) {
    const answer = await send(message(spec));
    expect(answer.status, name).toBe(200);
    if (name !== "health") expect(answer.body, name).toContain(DATA);
  }
  expect(served.effects.map(({ route }) => route)).toEqual(table.map(([name]) => name));
});

/** Requests that are valid except for their origin; the credential is right, as if it had been stolen. */
const rebound: Record<string, (route: RouteSpec) => Message> = {
  "the Host of another name": (route) => from(route, hostField(`evil.test:${listening.port}`)),
  "that name as Origin, too": (route) =>
    from(route, [
      ...hostField(`evil.test:${listening.port}`),
      ["Origin", `http://evil.test:${listening.port}`],
    ]),
  "a Host without our port": (route) => from(route, hostField("127.0.0.1")),
  "the Host of another port": (route) => from(route, hostField("127.0.0.1:1")),
  "a Host that begins like ours": (route) =>
    from(route, hostField(`localhost.evil.test:${listening.port}`)),
  "the address of everywhere": (route) => from(route, hostField(`0.0.0.0:${listening.port}`)),
  "an absolute target": (route) =>
    message(route, { target: `http://evil.test:${listening.port}${pathOf(route)}` }),
  "two Hosts": (route) => from(route, [...hostField(), ...hostField("evil.test")]),
  "two Hosts, ours last": (route) => from(route, [...hostField("evil.test"), ...hostField()]),
  "no Host": (route) => from(route, []),
  "no Host, as HTTP/1.0 allows": (route) => from(route, [], "1.0"),
};

function from(route: RouteSpec, fields: Fields, version = "1.1"): Message {
  const headers = [...fields, ...(route.body ? json : []), ...bearer(access.hostToken)];
  return message(route, { headers, version });
}

/** Headers that a page of another origin can make a browser send to the real address. */
const foreign: Record<string, Fields> = {
  "a foreign Origin": [["Origin", "http://evil.test"]],
  "the Origin null": [["Origin", "null"]],
  "the Origin of another port here": [["Origin", "http://127.0.0.1:3000"]],
  "the Origin of another loopback name": [["Origin", "http://localhost:4860"]],
  "two Origins": [
    ["Origin", "http://evil.test"],
    ["Origin", "http://127.0.0.1"],
  ],
  "no Origin but cross-site": [["Sec-Fetch-Site", "cross-site"]],
  "no Origin but same-site": [["Sec-Fetch-Site", "same-site"]],
};

const types = [
  "text/plain",
  "text/plain;charset=application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
];

describe("a page of another origin", () => {
  test.each(Object.keys(rebound))("gets nothing by DNS rebinding with %s [P36]", async (name) => {
    for (const [route, spec] of table) {
      const answer = await send(rebound[name]?.(spec) as Message);
      expect([400, 403], route).toContain(answer.status);
      expect(answer.body, route).not.toContain(DATA);
    }
    expect(served.effects).toEqual([]);
  });

  test("reaches every route by rebinding when its name is allowed, which shows that the test can fail", async () => {
    const fooled = tableApp({ access, port: () => other.port, names: ["evil.test"] });
    const other = await listen(fooled.app);
    const host = `evil.test:${other.port}`;
    for (const [, spec] of table) {
      const headers: Fields = [
        ...hostField(host),
        ["Origin", `http://${host}`],
        ...(spec.body ? json : []),
        ...bearer(access.hostToken),
      ];
      const answer = await raw(other.port, bytesOf(message(spec, { headers })));
      expect(answer.status).toBe(200);
    }
    expect(fooled.effects).toHaveLength(table.length);
    await other.close();
  });

  test.each(Object.keys(foreign))("changes nothing with %s [P36]", async (name) => {
    for (const [route, spec] of changing) {
      const sent = message(spec);
      const headers = [...sent.headers, ...(foreign[name] ?? [])];
      const answer = await send({ ...sent, headers });
      expect(answer.status, route).toBe(403);
    }
    expect(served.effects).toEqual([]);
  });

  test.each(types)("changes nothing with a body of %s [P36]", async (type) => {
    for (const [route, spec] of changing) {
      const headers: Fields = [...hostField(), ["Content-Type", type], ...bearer(access.hostToken)];
      const answer = await send(message(spec, { headers, body: '{"token":"rt_x"}' }));
      expect(answer.status, route).toBe(415);
    }
    expect(served.effects).toEqual([]);
  });

  test("is never told that it may ask [P36]", async () => {
    for (const [route, spec] of table) {
      const asks: Fields = [
        ["Origin", "http://evil.test"],
        ["Access-Control-Request-Method", spec.method],
        ["Access-Control-Request-Headers", "authorization, content-type"],
        ["Access-Control-Request-Private-Network", "true"],
      ];
      for (const credential of [[], bearer(access.hostToken)]) {
        const headers = [...hostField(), ...asks, ...credential];
        const preflight = await send(message(spec, { method: "OPTIONS", headers }));
        expect(preflight.status, route).toBe(403);
        expect(preflight.head.toLowerCase(), route).not.toContain("access-control-");
      }
      const read = await send(by(spec, [["Origin", "http://evil.test"]]));
      expect(read.head.toLowerCase(), route).not.toContain("access-control-");
      expect(read.body, route).not.toContain(DATA);
    }
    expect(served.effects.filter(({ route }) => route !== "health")).toEqual([]);
  });
});
