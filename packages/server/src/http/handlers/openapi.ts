/** Generates OpenAPI 3.1 from the route table; zod writes the JSON Schemas. */

import { pathWords, type RouteName, type RouteSpec } from "@holdfast/protocol";
import { routes, shapes } from "@holdfast/protocol/schemas";
import { z } from "zod";

type Json = Record<string, unknown>;

const COMPONENTS = "#/components/schemas/";

export function openApi(version: string): Json {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes) as [RouteName, RouteSpec][]) {
    const path = route.path.replace(pathWords, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Holdfast", version, description: "Coding-agent sessions that cannot be lost." },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      responses: { Problem: problemResponse(schemas) },
      schemas: schemas.components,
    },
  };
}

/** Collects schemas: named ones are written once and referenced everywhere else. */
class Schemas {
  readonly components: Record<string, unknown> = {};
  readonly #names = z.registry<{ id: string }>();

  constructor() {
    for (const [id, shape] of Object.entries(shapes)) this.#names.add(shape, { id });
  }

  /** The schema as a sender may write it: defaults are optional, further members allowed. */
  of(schema: z.ZodType): Json {
    const made = z.toJSONSchema(schema, { metadata: this.#names, io: "input" });
    const { $schema, $defs = {}, ...rest } = relocated(made) as Json & { $defs?: Json };
    Object.assign(this.components, $defs);
    return rest;
  }
}

/** Moves zod's references to named schemas into the components section. */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === "$ref" ? String(item).replace("#/$defs/", COMPONENTS) : relocated(item),
    ]),
  );
}

function operation(name: RouteName, route: RouteSpec, schemas: Schemas): Json {
  return {
    operationId: name,
    summary: route.summary,
    tags: [tagOf(route.path)],
    ...security(route),
    "x-repeat": route.repeat,
    parameters: parameters(route, schemas),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, schemas) }),
    responses: {
      ...responses(route, schemas),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function tagOf(path: string): string {
  const [, first, second] = path.split("/");
  return first === "api" && second !== undefined ? second : "host";
}

function security({ access, orToken }: RouteSpec): Json {
  if (access === "public") return { security: [] };
  return {
    "x-scope": access,
    ...(orToken === true ? { security: [{ bearer: [] }, {}] } : {}),
  };
}

function parameters(route: RouteSpec, schemas: Schemas): Json[] {
  const words = [...route.path.matchAll(pathWords)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const query = route.query === undefined ? {} : schemas.of(route.query);
  const { properties = {}, required = [] } = query as { properties?: Json; required?: string[] };
  const asked = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
  return [...words, ...asked, ...(route.method === "POST" ? [idempotencyKey] : [])];
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A repeated request with the same key gets the first answer.",
  schema: { type: "string", minLength: 1, maxLength: 200 },
};

function requestBody(body: z.ZodType, schemas: Schemas): Json {
  const optional = body.safeParse(undefined).success;
  return { required: !optional, content: { "application/json": { schema: schemas.of(body) } } };
}

function responses(route: RouteSpec, schemas: Schemas): Json {
  if (route.stream === "websocket") {
    return { 101: { description: "The connection becomes a WebSocket." } };
  }
  if (route.stream === "sse") {
    const schema = { type: "string", description: "`id:` is the seq, `data:` one event as JSON." };
    return {
      200: { description: "Events, as they come.", content: { "text/event-stream": { schema } } },
      204: { description: "The stream has ended." },
    };
  }
  const reply = replyOf(route, schemas);
  const accepted = { ...reply, description: "Accepted; follow the session to see the result." };
  return { [route.status ?? 200]: reply, ...(route.goesOn === true ? { 202: accepted } : {}) };
}

function replyOf({ reply, bytes, orBytes, summary }: RouteSpec, schemas: Schemas): Json {
  const raw = { "application/octet-stream": {} };
  if (bytes === true) return { description: summary, content: raw };
  if (reply === undefined) return { description: summary };
  const type = reply instanceof z.ZodString ? "text/plain" : "application/json";
  const content = { [type]: { schema: schemas.of(reply) }, ...(orBytes === true ? raw : {}) };
  return { description: summary, content };
}

function problemResponse(schemas: Schemas): Json {
  return {
    description: "What went wrong, and what to do next.",
    content: { "application/problem+json": { schema: schemas.of(shapes.Problem) } },
  };
}
