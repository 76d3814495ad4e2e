import { HostError, type Problem, type RouteName, type RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { requestOf, testApp } from "./testing/test-app.ts";

/** Field names from JSON Schema, so that the test does not use the code it checks. */
function fieldsOf(schema: z.ZodType): string[] {
  const { properties = {} } = schema.toJSONSchema({ io: "input" });
  return Object.keys(properties);
}

function integersOf(schema: z.ZodType | undefined): string[] {
  const { properties = {} } = schema?.toJSONSchema({ io: "input" }) ?? {};
  const isInteger = (value: unknown) => (value as { type?: string }).type === "integer";
  return Object.keys(properties).filter((name) => isInteger(properties[name]));
}

const table = Object.entries(routes) as [RouteName, RouteSpec][];

describe("the table", () => {
  test("is the whole surface: every other path is refused", async () => {
    const { app } = await testApp();
    const asked = { headers: { authorization: "Bearer local" } };
    for (const path of [
      "/",
      "/nope",
      "/api",
      "/api/sessions/",
      "/api/sessions/x/nope",
      "/HEALTH",
    ]) {
      const response = await app.request(path, asked);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({ code: "not_found" });
    }
  });

  test("another method is refused, naming those there are", async () => {
    const { app } = await testApp();
    const response = await app.request("/api/sessions", {
      method: "PUT",
      headers: { authorization: "Bearer local" },
    });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST, GET");
    expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
    const unknown = await app.request("/api/sessions", { method: "PUT" });
    expect(unknown.status).toBe(401);
  });

  test("every route except the public ones requires a credential", async () => {
    const { app } = await testApp();
    const bodies: { [N in RouteName]?: object } = { decideApproval: { decision: "allow" } };
    for (const [name, { access, orToken }] of table) {
      const asked = { as: null, ...(orToken === true ? { body: bodies[name] ?? {} } : {}) };
      const response = await app.request(requestOf(name, asked as never));
      if (access === "public") expect([name, response.status]).not.toEqual([name, 401]);
      else expect([name, response.status]).toEqual([name, 401]);
      if (access !== "public") expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("every route requires its scope", async () => {
    const { app } = await testApp();
    for (const [name, { access }] of table) {
      if (access === "public") continue;
      const lacking = access === "read" ? "write" : "read";
      const response = await app.request(requestOf(name, { as: `local:${lacking}` }));
      expect([name, response.status]).toEqual([name, 403]);
    }
  });

  test("health needs no credential and holds no data", async () => {
    const { ask, host } = await testApp();
    const { version, ...health } = await ask("health", { as: null });
    expect(health).toEqual({ status: "ok", bootId: host.bootId, pid: process.pid });
    expect(version).toMatch(/^\d+\./);
  });
});

describe("invalid input is refused before it has any effect", () => {
  const headers = { authorization: "Bearer local", "content-type": "application/json" };

  test("a body that is not JSON, without repeating it", async () => {
    const { app } = await testApp();
    const body = '{"agent":"demo","message":"s3cret';
    const response = await app.request("/api/sessions", { method: "POST", headers, body });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code: "bad_input", status: 400 });
    expect(text).not.toContain("s3cret");
  });

  test("wrong values, each named by its path", async () => {
    const { app, refused } = await testApp();
    const body = JSON.stringify({ agent: 7, message: "  ", workspace: { kind: "cloud" } });
    const response = await app.request("/api/sessions", { method: "POST", headers, body });
    const { code, error, field } = (await response.json()) as Problem;
    expect(code).toBe("bad_input");
    expect(field).toMatchObject({ path: "body.agent" });
    for (const path of ["body.agent", "body.message", "body.workspace.kind"]) {
      expect(error).toContain(`${path}: `);
    }
    expect(await refused("listSessions", { query: { limit: 1000 } })).toMatchObject({
      code: "bad_input",
      detail: expect.stringContaining("query.limit: "),
    });
    expect(await refused("listSessions", { query: { status: "sleepy" } as never })).toMatchObject({
      detail: expect.stringContaining("query.status: "),
    });
    expect((await refused("createSession", {})).detail).toContain("body: ");
    const lengths = ["", "x".repeat(501)].map(async (title) => {
      const { field } = await refused("createSession", { body: { agent: "demo", title } });
      return field;
    });
    expect(await Promise.all(lengths)).toEqual([
      { path: "body.title", reason: "is empty" },
      { path: "body.title", reason: "is too long: at most 500 characters" },
    ]);
  });

  test("a number in a query that is none, on any route, named with the numbers that it takes", async () => {
    const { refused } = await testApp();
    const numbers = table.flatMap(([name, { query }]) =>
      integersOf(query).map((field) => [name, field] as const),
    );
    expect(numbers.length).toBeGreaterThan(5);
    for (const [name, field] of numbers) {
      for (const value of ["abc", "", "1e3", "-1", "1.5"]) {
        const { code, detail } = await refused(name, { query: { [field]: value } as never });
        expect([name, value, code, detail]).toEqual([
          ...[name, value, "bad_input"],
          expect.stringMatching(
            new RegExp(`^query\\.${field}: must be a whole number, from \\d+ `),
          ),
        ]);
      }
    }
  });

  test("[S1] an unknown field, on any route, named beside the known ones", async () => {
    const { refused, host } = await testApp();
    const taking = table.filter(([, { body }]) => body !== undefined);
    expect(taking.length).toBeGreaterThan(15);
    for (const [name, { body }] of taking) {
      const { detail, code } = await refused(name, { body: { titel: 1, tenantId: "b" } as never });
      expect([name, code]).toEqual([name, "bad_input"]);
      const [, known] = /body\.titel, body\.tenantId: unknown\. Known fields: (.*?)[;.]/.exec(
        detail,
      ) as unknown as [string, string];
      expect([name, known]).toEqual([name, fieldsOf(body as z.ZodType).join(", ") || "none"]);
    }
    expect((await host.journal.list({ limit: 10 })).sessions).toEqual([]);
  });

  test("an unknown field inside another", async () => {
    const { refused } = await testApp();
    const detailOf = async (more: object) =>
      (await refused("createSession", { body: { agent: "demo", ...more } as never })).detail;
    expect(await detailOf({ workspace: { kind: "empty", brunch: "x" } })).toContain(
      "body.workspace.brunch: unknown. Known fields: kind, path.",
    );
    expect(await detailOf({ policy: { idlePaus: 1 } })).toMatch(/policy\.idlePaus.*idlePause/);
    expect(await detailOf(JSON.parse('{"__proto__":{"title":"x"}}'))).toContain("body.__proto__: ");
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x${n}`, n]));
    expect((await detailOf({ ...many, ["y".repeat(100_000)]: 1 })).length).toBeLessThan(1000);
  });

  test("an Idempotency-Key over the length limit", async () => {
    const { refused } = await testApp();
    const problem = await refused("createSession", {
      body: { agent: "demo" },
      key: "k".repeat(201),
    });
    expect(problem.code).toBe("bad_input");
  });
});

describe("errors", () => {
  test("[R001-23] say the same sentence as detail and as error, with a stable code", async () => {
    const { refused } = await testApp();
    const sessionId = "sess_00000000000070008000000000000000";
    expect(await refused("getSession", { params: { sessionId } })).toEqual({
      type: "about:blank",
      title: "Not Found",
      status: 404,
      code: "session_not_found",
      detail: "Session not found",
      error: "Session not found",
    });
  });

  test("that are unexpected tell a client no details, and are logged once", async () => {
    const agents = () => Promise.reject(new Error("cannot read /home/me/.secret"));
    const { refused, errors } = await testApp({ deps: { agents } });
    const problem = await refused("listAgents");
    expect(problem).toMatchObject({ status: 500, code: "internal" });
    expect(JSON.stringify(problem)).not.toContain("secret");
    expect(errors).toEqual([new Error("cannot read /home/me/.secret")]);
  });

  test("that are part of the API are not logged, and may say when to retry", async () => {
    const limited = new HostError("rate_limited", "Too many.", { retryAfter: 3 });
    const { send, errors } = await testApp({
      deps: { agents: () => Promise.reject(limited) },
    });
    const response = await send("listAgents");
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("3");
    expect(errors).toEqual([]);
  });
});
