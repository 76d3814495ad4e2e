/**
 * The whole HTTP app over a host in memory. The guard trusts the bearer: it is a real credential,
 * or `<tenant>` with every scope, or `<tenant>:<scope>`.
 */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentView,
  HostError,
  type Problem,
  pathWords,
  type RouteBody,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  type RouteReply,
  type RouteSpec,
  type Scope,
  scopes,
} from "@holdfast/protocol";
import { routes, shapes } from "@holdfast/protocol/schemas";
import type { Hono } from "hono";
import { Access } from "../../access/credentials/access.ts";
import type { Caller } from "../../access/credentials/caller.ts";
import type { Guarded } from "../../access/guard/middleware.ts";
import { hostLimits } from "../../access/limits/host-limits.ts";
import { type Script, scriptedAgent } from "../../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../../testing/test-host.ts";
import { type AppDeps, createApp } from "../app.ts";
import { linkAddresses } from "../request/link-addresses.ts";

export interface Asked<N extends RouteName> {
  readonly params?: RouteParams<N>;
  readonly query?: Partial<Record<string, unknown>> & Partial<NonNullable<RouteQuery<N>>>;
  readonly body?: RouteBody<N>;
  /** The bearer; null to send none. */
  readonly as?: string | null;
  readonly key?: string;
}

export interface TestApp {
  readonly app: Hono<Guarded>;
  readonly host: TestHost;
  readonly errors: unknown[];
  /** Requests a route and checks the reply's shape. Fails the test when the reply is a problem. */
  ask<N extends RouteName>(name: N, asked?: Asked<N>): Promise<RouteReply<N>>;
  /** The same with its status, for routes that answer with more than one. */
  answer<N extends RouteName>(
    name: N,
    asked?: Asked<N>,
  ): Promise<{ status: number; reply: RouteReply<N> }>;
  /** Requests a route that must refuse, and checks that the answer is a problem. */
  refused<N extends RouteName>(name: N, asked?: Asked<N>): Promise<Problem>;
  send<N extends RouteName>(name: N, asked?: Asked<N>): Promise<Response>;
}

export const TENANT = "local";

const demo: AgentView = {
  name: "demo",
  installed: true,
  version: "1",
  resume: "native",
  history: "inject",
  missing: null,
  title: "Demo agent",
  hosts: [],
  freeze: true,
  quirks: [],
};

export async function testApp(
  options: { script?: Script; host?: TestHost; deps?: Partial<AppDeps> } = {},
): Promise<TestApp> {
  const { script = () => [{ type: "ended", stopReason: "end_turn" }] } = options;
  const host = options.host ?? (await testHost({ agents: [scriptedAgent("demo", script)] }));
  const errors: unknown[] = [];
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const dir = mkdtempSync(join(tmpdir(), "holdfast-access-"));
  const unserved = () => new Response("a stream");
  const access = new Access({ dir, clock: host.clock, random });
  const app = createApp({
    host,
    access,
    linkAddresses: (by) => linkAddresses({ host: "127.0.0.1", port: 80, names: [] }, by),
    command: "holdfast",
    agents: async () => [demo],
    checkAgent: () => Promise.reject(new HostError("agent_missing", "Nothing is started here.")),
    live: () => ({ runtimes: host.runtimes.live, followers: 7 }),
    limits: hostLimits,
    random,
    onError: (_session, error) => errors.push(error),
    async guard(context, next) {
      const secret = context.req.header("authorization")?.replace("Bearer ", "");
      const known = secret === undefined ? null : access.authenticate(secret);
      context.set("caller", known ?? (secret === undefined ? null : pretended(secret)));
      await next();
    },
    streams: { followSession: unserved, followRun: unserved, socket: unserved },
    ...options.deps,
  });

  const send: TestApp["send"] = async (name, asked = {}) => app.request(requestOf(name, asked));
  const answer: TestApp["answer"] = async (name, asked) => {
    const response = await send(name, asked);
    const { reply } = routes[name] as RouteSpec;
    const type = response.headers.get("content-type") ?? "";
    const body = type.includes("json") ? await response.json() : await response.text();
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(body)}`);
    reply?.parse(body);
    return { status: response.status, reply: body as never };
  };
  return {
    app,
    host,
    errors,
    send,
    answer,
    ask: async (name, asked) => (await answer(name, asked)).reply,
    async refused(name, asked) {
      const response = await send(name, asked);
      const body = shapes.Problem.parse(await response.json());
      if (response.headers.get("content-type") !== "application/problem+json") {
        throw new Error(`${name} was not refused`);
      }
      return body;
    },
  };
}

export function requestOf<N extends RouteName>(name: N, asked: Asked<N>): Request {
  const { method, path } = routes[name] as RouteSpec;
  const { params = {}, query = {}, body, as = TENANT, key } = asked;
  const filled = path.replace(pathWords, (_, word: string) =>
    encodeURIComponent((params as Record<string, string>)[word] ?? "x"),
  );
  const search = new URLSearchParams(query as Record<string, string>).toString();
  return new Request(`http://127.0.0.1${filled}${search === "" ? "" : `?${search}`}`, {
    method,
    headers: {
      ...(as === null ? {} : { authorization: `Bearer ${as}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function pretended(who: string): Caller {
  const [tenant = "", scope] = who.split(":");
  const granted: readonly Scope[] = scope === undefined ? scopes : [scope as Scope];
  return { id: "host", kind: "host", name: tenant, tenant, scopes: new Set(granted) };
}
