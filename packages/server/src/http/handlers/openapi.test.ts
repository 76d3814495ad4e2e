import { pathWords, type RouteName, type RouteSpec } from "@holdfast/protocol";
import { routes, shapes } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import { testApp } from "../testing/test-app.ts";

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description?: string; content?: Record<string, object> }>;
}

interface Description {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, unknown>;
    readonly responses: Record<string, unknown>;
    readonly securitySchemes: Record<string, unknown>;
  };
}

const described = async () => (await (await testApp()).ask("openapi")) as unknown as Description;

const operationOf = ({ paths }: Description, { method, path }: RouteSpec) =>
  paths[path.replace(pathWords, "{$1}")]?.[method.toLowerCase()] as Operation;

const table = Object.entries(routes) as [RouteName, RouteSpec][];

/** Yields every nested object. */
function* within(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const item of Object.values(value)) yield* within(item);
}

function resolve(description: Description, ref: string): unknown {
  const [root, ...path] = ref.split("/");
  expect(root).toBe("#");
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], description);
}

describe("the description of the API", () => {
  test("has every route of the table, and no other", async () => {
    const description = await described();
    expect(description.openapi).toBe("3.1.0");
    const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      Object.keys(routes).sort(),
    );
    for (const [name, route] of table) {
      expect(operationOf(description, route).operationId).toBe(name);
    }
  });

  test("contains only references that resolve", async () => {
    const description = await described();
    const refs = [...within(description)].flatMap(({ $ref }) =>
      typeof $ref === "string" ? [$ref] : [],
    );
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of refs) {
      expect([ref, typeof resolve(description, ref)]).toEqual([ref, "object"]);
    }
    expect([...within(description)].some((value) => "$defs" in value || "$schema" in value)).toBe(
      false,
    );
  });

  test("names every schema once, as an object that allows further properties", async () => {
    const { components } = await described();
    expect(Object.keys(components.schemas).sort()).toEqual(Object.keys(shapes).sort());
    for (const schema of [...within(components.schemas)]) {
      expect(schema.additionalProperties).not.toBe(false);
    }
    expect(components.schemas.Session).toMatchObject({
      type: "object",
      properties: { runtime: { $ref: "#/components/schemas/Runtime" } },
      required: expect.arrayContaining(["id", "lifecycle", "status", "recovery"]),
    });
    // Schemas that are a whole reply by themselves must be written out, too.
    for (const [name, shape] of Object.entries(shapes)) {
      const members = "shape" in shape ? Object.keys(shape.shape) : null;
      const written = components.schemas[name] as { properties?: object };
      if (members !== null) expect(Object.keys(written.properties ?? {})).toEqual(members);
    }
  });

  test("describes each route's input: path parameters, query, body, key", async () => {
    const description = await described();
    for (const [name, route] of table) {
      const { parameters, requestBody } = operationOf(description, route);
      const named = (place: string) =>
        parameters.filter((parameter) => parameter.in === place).map((parameter) => parameter.name);
      expect([name, named("path")]).toEqual([
        name,
        [...route.path.matchAll(pathWords)].map(([, word]) => word),
      ]);
      expect([name, named("query")]).toEqual([name, Object.keys(route.query?.shape ?? {})]);
      expect([name, named("header").length]).toEqual([name, route.method === "POST" ? 1 : 0]);
      expect([name, requestBody !== undefined]).toEqual([name, route.body !== undefined]);
      expect(operationOf(description, route)).toHaveProperty("x-repeat", route.repeat);
    }
    expect(operationOf(description, routes.sendMessage).requestBody?.required).toBe(true);
    expect(operationOf(description, routes.resumeSession).requestBody?.required).toBe(false);
  });

  test("describes each route's answers: its status, streams, and problems", async () => {
    const description = await described();
    for (const [name, route] of table) {
      const { responses } = operationOf(description, route);
      const status = route.stream === "websocket" ? 101 : (route.status ?? 200);
      expect([name, String(status) in responses]).toEqual([name, true]);
      expect(responses.default).toEqual({ $ref: "#/components/responses/Problem" });
    }
    const { responses } = operationOf(description, routes.resumeSession);
    expect(Object.keys(responses)).toEqual(["200", "202", "default"]);
    const stream = operationOf(description, routes.followSession).responses["200"];
    expect(Object.keys(stream?.content ?? {})).toEqual(["text/event-stream"]);
    expect(description.components.responses.Problem).toMatchObject({
      content: {
        "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
      },
    });
  });

  test("describes the members that every event has, and the state", async () => {
    const description = await described();
    const { schemas } = description.components;
    expect(schemas.Event).toMatchObject({ required: ["seq", "ts", "kind"] });
    expect(schemas.State).toMatchObject({ required: ["seq", "id"] });
    const reply = (route: RouteSpec) => JSON.stringify(operationOf(description, route).responses);
    expect(reply(routes.listEvents)).toContain("#/components/schemas/Event");
    expect(reply(routes.getTranscript)).toContain("#/components/schemas/State");
  });

  test("describes each route's access: a bearer, a token, or public", async () => {
    const description = await described();
    expect(description.components.securitySchemes.bearer).toMatchObject({ scheme: "bearer" });
    for (const [name, route] of table) {
      const { security } = operationOf(description, route);
      if (route.access === "public") expect([name, security]).toEqual([name, []]);
      else if (route.orToken) expect([name, security]).toEqual([name, [{ bearer: [] }, {}]]);
      else expect([name, security]).toEqual([name, undefined]);
    }
  });
});

test("a new session's workspace is described with the kinds that are served, and no others", async () => {
  const description = await described();
  const { requestBody } = operationOf(description, routes.createSession);
  const kinds = [...within(requestBody)].flatMap(({ enum: words }) => (words as string[]) ?? []);
  expect(kinds).toEqual(expect.arrayContaining(["empty", "in-place"]));
  for (const kind of ["clone", "worktree", "copy"]) expect(kinds).not.toContain(kind);
});
