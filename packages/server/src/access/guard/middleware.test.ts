import { HostError, type RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Access } from "../credentials/access.ts";
import { Failures } from "../limits/failures.ts";
import { problemResponse } from "../problem.ts";
import { keyFor, known, pair, testCredentials } from "../testing/credentials.ts";
import { DATA, pathOf, type TableApp, tableApp } from "../testing/table-app.ts";
import { type Guarded, type GuardOptions, guarded } from "./middleware.ts";

let world: ReturnType<typeof testCredentials>;
let access: Access;
let served: TableApp;

const PORT = 4860;
const host = `localhost:${PORT}`;

function appWith(options: Partial<GuardOptions> = {}): TableApp {
  return tableApp({ access, port: () => PORT, clock: world.clock, ...options });
}

beforeEach(() => {
  world = testCredentials();
  access = world.open();
  served = appWith();
});

afterEach(() => world.remove());

interface Sent {
  readonly headers?: Record<string, string>;
  readonly body?: string | ReadableStream;
  readonly by?: string | null;
}

async function send(method: string, path: string, { headers, body, by }: Sent = {}) {
  const secret = by === undefined ? access.hostToken : by;
  const response = await served.app.request(`http://${host}${path}`, {
    method,
    headers: {
      host,
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(typeof body === "string" && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      }),
      ...headers,
    },
    ...(body !== undefined && { body, duplex: "half" }),
  } as RequestInit);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, code: codeIn(text) };
}

function codeIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { code?: string }).code;
  } catch {
    return undefined;
  }
}

const POST = "/api/sessions";
const STREAM = pathOf(routes.followSession);
const RESUME = pathOf(routes.resumeRun);

describe("every answer", () => {
  test.each([
    ["GET", "/health"],
    ["GET", "/api/sessions"],
    ["GET", STREAM],
    ["GET", "/nothing"],
    ["OPTIONS", "/api/sessions"],
    ["GET", "/openapi.json"],
  ])("of %s %s protects its reader and invites no other origin", async (method, path) => {
    for (const by of [undefined, null]) {
      const { headers } = await send(method, path, { ...(by === null && { by }) });
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("cache-control")).toMatch(/no-(store|cache)/);
      const cors = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
      expect(cors).toEqual([]);
    }
  });

  test("a refusal is problem+json that says what to do", async () => {
    const { status, headers, text } = await send("GET", "/api/sessions", { by: null });
    expect(status).toBe(401);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("www-authenticate")).toBe("Bearer");
    const problem = JSON.parse(text) as Record<string, unknown>;
    expect(problem).toEqual({
      type: "about:blank",
      title: "Unauthorized",
      status: 401,
      code: "unauthorized",
      detail: problem.error,
      error: expect.stringMatching(/Bearer/),
    });
  });

  test("an error of a handler is protected too", async () => {
    const app = new Hono<Guarded>();
    app.onError((_, c) => c.text("no", 500));
    app.use(guarded({ access, port: () => PORT }));
    app.get("/health", () => {
      throw new Error("no");
    });
    const response = await app.request(`http://${host}/health`, { headers: { host } });
    expect(response.status).toBe(500);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("who asks", () => {
  test("is in the context, for every kind of credential", async () => {
    const { device, token } = pair(access);
    const { key, secret } = keyFor(access, "acme", ["read"]);
    for (const by of [access.hostToken, token, secret]) await send("GET", POST, { by });
    expect(served.effects.map(({ by }) => by)).toEqual(["host", device.id, key.id]);
  });

  test("must have the route's scope", async () => {
    const { secret } = keyFor(access, "acme", ["read"]);
    expect(await send("GET", POST, { by: secret })).toMatchObject({ status: 200 });
    const refused = await send("POST", POST, { by: secret, body: "{}" });
    expect(refused).toMatchObject({ status: 403, code: "forbidden" });
    expect(await send("GET", "/api/keys", { by: secret })).toMatchObject({ status: 403 });
  });

  test("needs the host's own tenant for every admin route that reaches beyond one tenant [P37]", () => {
    const admin = Object.entries(routes as Record<string, RouteSpec>).filter(
      ([, { access }]) => access === "admin",
    );
    const ofOneTenant = admin.flatMap(([name, { wholeHost }]) => (wholeHost ? [] : [name]));
    // Before you add a route here, check that its handler uses the caller's tenant.
    expect(ofOneTenant).toEqual(["listKeys", "createKey", "revokeKey"]);
  });

  test("must belong to the host's own tenant to see every tenant [P37]", async () => {
    const { token } = pair(access);
    const admin = keyFor(access, "default");
    const reader = keyFor(access, "default", ["read", "write"]);
    const theirs = keyFor(access, "acme");
    for (const by of [access.hostToken, token, admin.secret]) {
      expect(await send("GET", "/metrics", { by })).toMatchObject({ status: 200 });
    }
    for (const by of [reader.secret, theirs.secret]) {
      expect(await send("GET", "/metrics", { by })).toMatchObject({
        status: 403,
        code: "forbidden",
      });
    }
  });

  test("is not checked on public routes", async () => {
    expect(await send("GET", "/health", { by: null })).toMatchObject({ status: 200 });
    expect(await send("POST", "/api/login", { by: "wrong", body: "{}" })).toMatchObject({
      status: 200,
    });
    expect(served.effects.map(({ by }) => by)).toEqual([null, null]);
  });

  test("is refused when revoked while the body was arriving", async () => {
    const { device, token } = pair(access);
    const body = new ReadableStream({
      async pull(controller) {
        access.revokeDevice(access.owner, device.id);
        controller.enqueue(Buffer.from("{}"));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    expect(await send("POST", POST, { by: token, body, headers })).toMatchObject({ status: 401 });
    expect(served.effects).toEqual([]);
  });
});

describe("a ticket", () => {
  const ticket = () => access.createTicket(known(access, pair(access).token)).ticket;

  test("opens a stream once", async () => {
    const once = ticket();
    const { status, text } = await send("GET", `${STREAM}?ticket=${once}`, { by: null });
    expect({ status, text }).toEqual({ status: 200, text: `data: ${DATA}\n\n` });
    expect(await send("GET", `${STREAM}?ticket=${once}`, { by: null })).toMatchObject({
      status: 401,
    });
  });

  test("opens only streams, and is not used up by other attempts", async () => {
    const once = ticket();
    for (const { method, path, access: scope, stream } of Object.values(routes) as RouteSpec[]) {
      if (stream === "sse" || scope === "public") continue;
      const tried = await send(method, `${pathOf({ path })}?ticket=${once}`, { by: null });
      expect(tried.status).toBe(401);
    }
    expect(await send("HEAD", `${STREAM}?ticket=${once}`, { by: null })).toMatchObject({
      status: 401,
    });
    expect(await send("GET", `${STREAM}?ticket=${once}`, { by: null })).toMatchObject({
      status: 200,
    });
  });

  test("does not stand in for a wrong bearer, nor a bearer's secret for a ticket", async () => {
    expect(await send("GET", `${STREAM}?ticket=${ticket()}`, { by: "wrong" })).toMatchObject({
      status: 401,
    });
    expect(await send("GET", `${STREAM}?ticket=${access.hostToken}`, { by: null })).toMatchObject({
      status: 401,
    });
  });
});

describe("a token in the body", () => {
  test("admits a request without a bearer on routes that allow it", async () => {
    const body = JSON.stringify({ token: "rt_x" });
    expect(await send("POST", RESUME, { by: null, body })).toMatchObject({ status: 200 });
    expect(served.effects).toEqual([{ route: "resumeRun", by: null }]);
    expect(await send("POST", pathOf(routes.cancelRun), { by: null, body })).toMatchObject({
      status: 401,
    });
  });

  test.each(["", "{}", "null", "[]", '{"token":1}', '{"token":null}', "not json", '"token"'])(
    "is not in %j",
    async (body) => {
      expect(await send("POST", RESUME, { by: null, body })).toMatchObject({ status: 401 });
      expect(served.effects).toEqual([]);
    },
  );

  test("does not stand in for a wrong bearer", async () => {
    const body = JSON.stringify({ token: "rt_x" });
    expect(await send("POST", RESUME, { by: "wrong", body })).toMatchObject({ status: 401 });
  });
});

test("a WebSocket request that a proxy turned into a plain one is told so, not asked for a credential", async () => {
  const headers = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const told = await send("GET", "/api/ws", { by: null, headers });
  expect(told).toMatchObject({ status: 426, code: "upgrade_required" });
  expect(told.headers.get("upgrade")).toBe("websocket");
  expect(await send("GET", "/api/ws", { by: null })).toMatchObject({ status: 401 });
});

describe("what is not in the table", () => {
  test("is revealed only to callers with a credential", async () => {
    expect(await send("GET", "/api/nothing", { by: null })).toMatchObject({ status: 401 });
    expect(await send("GET", "/api/nothing")).toMatchObject({ status: 404, code: "not_found" });
    expect(await send("PUT", POST, { by: null })).toMatchObject({ status: 401 });
    const other = await send("PUT", POST);
    expect(other).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(other.headers.get("allow")).toBe("POST, GET");
  });

  test("is not served, even when a handler is registered for it", async () => {
    served.app.get("/api/debug", (c) => c.text(DATA));
    served.app.all("/api/sessions", (c) => c.text(DATA));
    expect(await send("GET", "/api/debug")).toMatchObject({ status: 404 });
    expect(await send("PUT", "/api/sessions")).toMatchObject({ status: 405 });
  });

  test("a HEAD of a stream starts no stream", async () => {
    expect(await send("HEAD", STREAM)).toMatchObject({ status: 405 });
    expect(served.effects).toEqual([]);
    expect(await send("HEAD", POST)).toMatchObject({ status: 200, text: "" });
  });
});

describe("the app shell", () => {
  beforeEach(() => {
    served = appWith({ shell: ["/*"] });
    served.app.get("/*", (c) => c.html("<html>", 200, { "content-security-policy": "own" }));
  });

  test("is public, with a policy of its own", async () => {
    const page = await send("GET", "/sessions/one", { by: null });
    expect(page).toMatchObject({ status: 200, text: "<html>" });
    expect(page.headers.get("content-security-policy")).toBe("own");
  });

  test.each(["/api", "/api/", "/api/nothing", "/%61pi/nothing", "/api/sessions", "/metrics"])(
    "is not at %s",
    async (path) => {
      expect(await send("GET", path, { by: null })).toMatchObject({ status: 401 });
    },
  );

  test("takes no other method", async () => {
    expect(await send("POST", "/sessions/one", { by: null })).toMatchObject({ status: 401 });
  });
});

describe("a body", () => {
  const chunked = (size: number, chunk = 64 * 1024) => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (pulled >= size) return controller.close();
        pulled += chunk;
        controller.enqueue(Buffer.alloc(chunk, " "));
      },
    });
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    return { body, headers, pulled: () => pulled };
  };

  test("fits up to its limit and not a byte further", async () => {
    served = appWith({ maxBody: 100 });
    const fits = await send("POST", POST, { body: " ".repeat(100) });
    expect(fits).toMatchObject({ status: 200, text: expect.stringContaining('"got":100') });
    const over = await send("POST", POST, { body: " ".repeat(101) });
    expect(over).toMatchObject({ status: 413, code: "too_large" });
    expect(over.headers.get("connection")).toBe("close");
    expect(served.effects).toHaveLength(1);
  });

  test("without a length is read up to the limit and no further", async () => {
    const fits = chunked(512 * 1024);
    expect(await send("POST", POST, fits)).toMatchObject({
      status: 200,
      text: expect.stringContaining(`"got":${512 * 1024}`),
    });
    served = appWith({ maxBody: 1024 * 1024 });
    const over = chunked(32 * 1024 * 1024);
    expect(await send("POST", POST, over)).toMatchObject({ status: 413, code: "too_large" });
    expect(over.pulled()).toBeLessThan(1.5 * 1024 * 1024);
  });

  test("is not read at all without a valid credential", async () => {
    const over = chunked(32 * 1024 * 1024);
    expect(await send("POST", POST, { ...over, by: null })).toMatchObject({ status: 401 });
    expect(over.pulled()).toBeLessThanOrEqual(64 * 1024);
  });

  test("from a caller without a credential has its route's own limit [P34] [S3]", async () => {
    const login = (bytes: number) =>
      send("POST", "/api/login", { by: null, body: `{"code":"x"}${" ".repeat(bytes - 12)}` });
    expect(await login(4096)).toMatchObject({ status: 200 });
    expect(await login(4097)).toMatchObject({ status: 413, code: "too_large" });
    const token = (bytes: number, by: string | null) =>
      send("POST", RESUME, { by, body: `{"token":"x"}${" ".repeat(bytes - 13)}` });
    expect(await token(64 * 1024, null)).toMatchObject({ status: 200 });
    expect(await token(64 * 1024 + 1, null)).toMatchObject({ status: 413, code: "too_large" });
    expect(await token(64 * 1024 + 1, access.hostToken)).toMatchObject({ status: 200 });
    const over = chunked(32 * 1024 * 1024);
    expect(await send("POST", RESUME, { ...over, by: null })).toMatchObject({ status: 413 });
    expect(over.pulled()).toBeLessThanOrEqual(3 * 64 * 1024);
  });

  test("that stalls is refused when another caller without a credential needs the memory [P34]", async () => {
    served = appWith({ strangersBytes: 100 });
    const stalled = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.alloc(60, " "));
      },
    });
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const first = send("POST", RESUME, { by: null, body: stalled, headers });
    const body = `{"token":"x"}${" ".repeat(60)}`;
    // Once this read is answered, the first body's bytes have arrived.
    await send("GET", POST);
    expect(await send("POST", RESUME, { by: null, body })).toMatchObject({ status: 200 });
    expect(await first).toMatchObject({ status: 429, code: "rate_limited" });
    for (let n = 0; n < 5; n++) {
      expect(await send("POST", RESUME, { by: null, body })).toMatchObject({ status: 200 });
    }
  });

  test("that breaks off is refused", async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error("gone"));
      },
    });
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    expect(await send("POST", POST, { body, headers })).toMatchObject({
      status: 400,
      code: "bad_input",
    });
  });
});

describe("how often", () => {
  test("[P34] each credential has a rate limit for changes, and none for reads", async () => {
    served = appWith({ changes: { burst: 3, perSecond: 1 } });
    const { token } = pair(access);
    const change = (by: string) => send("POST", POST, { by, body: "{}" });
    for (let n = 0; n < 3; n++) expect(await change(token)).toMatchObject({ status: 200 });
    const limited = await change(token);
    expect(limited).toMatchObject({ status: 429, code: "rate_limited" });
    expect(limited.headers.get("retry-after")).toBe("1");
    expect(await send("GET", POST, { by: token })).toMatchObject({ status: 200 });
    for (let n = 0; n < 300; n++) expect(await change(token)).toMatchObject({ status: 429 });
    expect(await change(access.hostToken)).toMatchObject({ status: 200 });
    world.clock.advance(1000);
    expect(await change(token)).toMatchObject({ status: 200 });
    expect(await change(token)).toMatchObject({ status: 429 });
  });

  test("callers without a credential are counted by wrong codes and tokens alone [S14]", async () => {
    served = appWith({
      changes: { burst: 1, perSecond: 1 },
      failures: new Failures(world.clock, { burst: 3, perSecond: 1 }),
    });
    const right = { by: null, body: '{"code":"x"}' };
    for (let n = 0; n < 20; n++) {
      expect(await send("POST", "/api/login", right)).toMatchObject({ status: 200 });
    }
    served.app.onError((error) => problemResponse(error as HostError));
    served.refuse = new HostError("token_invalid", "no");
    const wrong = { by: null, body: '{"token":"x"}' };
    for (let n = 0; n < 3; n++) {
      expect(await send("POST", RESUME, wrong)).toMatchObject({ code: "token_invalid" });
    }
    expect(await send("POST", RESUME, wrong)).toMatchObject({ status: 429 });
    served.refuse = null;
    expect(await send("POST", RESUME, wrong)).toMatchObject({ status: 200 });
  });

  test("wrong credentials are limited; a right one from the same address still works [S14]", async () => {
    served = appWith({ failures: new Failures(world.clock, { burst: 5, perSecond: 1 }) });
    for (let n = 0; n < 5; n++) {
      expect(await send("GET", POST, { by: `hfk_${n}` })).toMatchObject({ status: 401 });
    }
    expect(await send("GET", POST, { by: "hfk_6" })).toMatchObject({ status: 429 });
    expect(await send("GET", POST)).toMatchObject({ status: 200 });
    expect(await send("GET", POST, { by: null })).toMatchObject({ status: 401 });
    world.clock.advance(1000);
    expect(await send("GET", POST, { by: "hfk_7" })).toMatchObject({ status: 401 });
  });
});
