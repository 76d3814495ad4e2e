/** The HTTP app: guards, parses and resolves every request here, so that no handler can skip it. */

import { HostError, type RouteName, type RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Caller } from "../access/credentials/caller.ts";
import { refuseRoute } from "../access/credentials/grants.ts";
import { tokensIn } from "../access/guard/body-tokens.ts";
import type { Guarded } from "../access/guard/middleware.ts";
import { handlersOf } from "./handlers/handlers.ts";
import { Bytes, bytesResponse } from "./request/bytes.ts";
import type { HandlerDeps } from "./request/deps.ts";
import { type Ask, GoesOn, type StreamHandlers } from "./request/handler.ts";
import { isUnexpected, refusal } from "./request/problems.ts";
import { readRequest } from "./request/request.ts";
import { isForRun, runAt, runByToken, sessionAt } from "./request/resolve-ids.ts";

export interface AppDeps extends HandlerDeps {
  /** Refuses unauthorised requests and sets the caller: null only on a public route or with a token. */
  readonly guard: MiddlewareHandler<Guarded>;
  readonly streams: StreamHandlers;
}

/** Erases types in the loop over the table: each input was parsed by its route's schemas. */
type Answer = (ask: Ask<RouteName>, context: Context<Guarded>) => unknown;

export function createApp(deps: AppDeps): Hono<Guarded> {
  const app = new Hono<Guarded>();
  const answers: Record<RouteName, unknown> = { ...handlersOf(deps), ...deps.streams };
  app.onError((error) => {
    if (isUnexpected(error)) deps.onError(null, error);
    return refusal(error);
  });
  app.use(deps.guard);
  for (const [name, route] of Object.entries(routes) as [RouteName, RouteSpec][]) {
    app.on(route.method, route.path, async (context) => {
      const ask = await read(deps, context, route);
      const answer = await (answers[name] as Answer)(ask, context);
      return respond(context, route, answer);
    });
  }
  refuseOtherMethods(app);
  app.notFound(() => refusal(new HostError("not_found", "There is nothing at this address.")));
  return app;
}

async function read(deps: AppDeps, context: Context<Guarded>, route: RouteSpec) {
  const caller = context.get("caller");
  if (caller !== null || route.orToken !== true) mayAsk(route, caller);
  const params = context.req.param() as Record<string, string>;
  const byToken = caller === null && route.orToken === true;
  // The token is verified before the rest of the body is parsed.
  const allowed = byToken ? await placeByToken(deps, context, params) : null;
  const parsed = await readRequest(context, route);
  if (allowed !== null && (parsed.body as { token?: string }).token !== allowed.token) {
    throw unauthorized();
  }
  const at = allowed?.at ?? (await place(deps, caller, params));
  if (caller !== null && at !== null) deps.seen?.(at.session);
  const cameBy = { host: context.req.header("host"), origin: context.req.header("origin") };
  const { signal: gone } = context.req.raw;
  return { caller, params, ...parsed, cameBy, at, gone } as unknown as Ask<RouteName>;
}

/** Repeats the guard's check, so that a missing or faulty guard cannot expose a route. */
function mayAsk(route: RouteSpec, caller: Caller | null): void {
  if (route.access === "public") return;
  if (caller === null) throw unauthorized();
  const refused = refuseRoute(caller, route);
  if (refused !== null) throw refused;
}

function unauthorized(): HostError {
  return new HostError("unauthorized", "A credential is needed: Authorization: Bearer …");
}

async function place(
  { host }: AppDeps,
  caller: Caller | null,
  { sessionId, runId }: Record<string, string>,
) {
  if (caller === null) return null;
  if (sessionId !== undefined) return sessionAt(host, sessionId, caller.tenant);
  return runId === undefined ? null : runAt(host, runId, caller.tenant);
}

async function placeByToken(
  { host }: AppDeps,
  context: Context<Guarded>,
  { runId = "" }: Record<string, string>,
) {
  const tokens = tokensIn(await context.req.text());
  const token = tokens.find((text) => isForRun(text, runId)) ?? tokens[0];
  if (token === undefined) throw unauthorized();
  return { token, at: await runByToken(host, runId, token) };
}

function respond(
  context: Context<Guarded>,
  { status = 200 }: RouteSpec,
  answer: unknown,
): Response | Promise<Response> {
  if (answer instanceof Response) return answer;
  if (answer instanceof Bytes) return bytesResponse(context, answer);
  if (typeof answer === "string") return context.text(answer, status as 200);
  if (answer instanceof GoesOn) return context.json(answer.reply, 202);
  return context.json(answer as object, status as 200);
}

/** Registered after all routes: a request that gets here has a known path and another method. */
function refuseOtherMethods(app: Hono<Guarded>): void {
  const methods = new Map<string, string[]>();
  for (const { path, method } of Object.values(routes) as RouteSpec[]) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, known] of methods) {
    app.all(path, (context) => {
      if (context.get("caller") === null) throw unauthorized();
      const allow = known.join(", ");
      throw new HostError("method_not_allowed", `Use ${allow} here.`, { allow });
    });
  }
}
