/** The guard of every request: Host, Origin, credential, scope, rate, size and known path. */

import type { IncomingMessage } from "node:http";
import { HostError, type RouteSpec } from "@holdfast/protocol";
import { MAX_BODY } from "@holdfast/protocol/schemas";
import type { Context, MiddlewareHandler } from "hono";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Access } from "../credentials/access.ts";
import type { Caller } from "../credentials/caller.ts";
import { inTenant, refuseRoute } from "../credentials/grants.ts";
import { Buckets, type Rate } from "../limits/buckets.ts";
import { overLimit } from "../limits/connections.ts";
import { Failures, noCredential } from "../limits/failures.ts";
import { hostLimits } from "../limits/host-limits.ts";
import { problemResponse } from "../problem.ts";
import { protect } from "../protective-headers.ts";
import { readBody } from "./body.ts";
import { tokensIn } from "./body-tokens.ts";
import {
  bearerOf,
  changesState,
  foreignBody,
  foreignHost,
  foreignOrigin,
  lostUpgrade,
  ourHosts,
} from "./guard.ts";
import { refuseAmbiguous } from "./refuse-ambiguous.ts";
import { isNavigation, isShell, methodsAt, routeOf } from "./route-table.ts";
import { type Source, StrangerBodies } from "./stranger-bodies.ts";

export interface GuardOptions {
  readonly access: Access;
  /** A function, because the port is known only once the host listens. */
  readonly port: () => number;
  /** Explicitly allowed names of this host beside loopback: `name` or `name:port`. */
  readonly names?: readonly string[];
  /** Patterns of the GET handlers that serve the app shell, which holds no data. */
  readonly shell?: readonly string[];
  readonly clock?: Clock;
  /** Overrides the route table's limits with a smaller one for every body. */
  readonly maxBody?: number;
  /** Bytes of memory for the bodies of all callers without a credential together. */
  readonly strangersBytes?: number;
  readonly changes?: Rate;
  /** Shared with the other places that check credentials. */
  readonly failures?: Failures;
}

/** Null on public routes, and when the handler is to verify a token in the body. */
export type Guarded = { Variables: { caller: Caller | null } };

/** Names the tenant that the host's own token acts in. */
const TENANT_HEADER = "holdfast-tenant";
/** The largest body with a resume token: a decision, or a tool's result. */
const TOKEN_BODY = 64 * 1024;

export function guarded(options: GuardOptions): MiddlewareHandler<Guarded> {
  const guard = new RequestGuard(options);
  return async (c, next) => {
    try {
      const admitted = await guard.admit(c).catch(refusal);
      if (admitted instanceof HostError) {
        c.res = problemResponse(admitted);
        if (leavesMuch(c)) c.res.headers.set("connection", "close");
      } else {
        c.set("caller", admitted);
        await next();
        const limited = guard.countWrong(c);
        if (limited !== null) c.res = problemResponse(limited);
      }
      protect(c.res.headers);
    } finally {
      guard.release(c);
    }
  };
}

/** A larger unread body is cut off with its connection, because reading it to its end takes time. */
const MOST_SKIPPED = 64 * 1024;

function leavesMuch(c: Context): boolean {
  if (c.req.bodyCache.text !== undefined) return false;
  const { headers } = c.req.raw;
  return headers.has("transfer-encoding") || Number(headers.get("content-length")) > MOST_SKIPPED;
}

function refusal(error: unknown): HostError {
  if (error instanceof HostError) return error;
  throw error;
}

class RequestGuard {
  readonly #options: GuardOptions;
  readonly #maxBody: number;
  readonly #changes: Buckets;
  readonly #failures: Failures;
  readonly #strangers: StrangerBodies;

  constructor(options: GuardOptions) {
    const clock = options.clock ?? systemClock();
    this.#options = options;
    this.#maxBody = options.maxBody ?? Number.POSITIVE_INFINITY;
    this.#changes = new Buckets(options.changes ?? hostLimits.changes, clock);
    this.#failures = options.failures ?? new Failures(clock);
    this.#strangers = new StrangerBodies(options.strangersBytes);
  }

  async admit(c: Context): Promise<Caller | null> {
    this.#checkSender(c);
    const route = routeOf(c);
    if (route === null) return this.#outsideTheTable(c);
    must(lostUpgrade(c.req.raw.headers, route));
    const caller = await this.#callerFor(c, route);
    const { method } = c.req;
    // Callers without a credential are limited by bytes and wrong secrets: many may share one
    // proxy's address.
    if (changesState(method) && caller !== null) must(this.#changes.take(caller.id));
    must(foreignBody(c.req.raw.headers, method));
    const most = Math.min(this.#maxBody, route.maxBody ?? MAX_BODY);
    if (caller === null) must(await this.#strangers.read(c.req, most, sourceOf(c)));
    else must(await readBody(c.req, most));
    // The credential may have been revoked while the body arrived.
    if (caller !== null && !this.#options.access.stands(caller)) throw this.#wrong(c);
    return caller;
  }

  /** Counts a wrong code or token for its address; above the limit, returns the refusal. */
  countWrong(c: Context): HostError | null {
    const { error } = c;
    if (!(error instanceof HostError && error.spec.wrongSecret === true)) return null;
    const counted = this.#wrong(c);
    return counted.code === "rate_limited" ? counted : null;
  }

  /** Frees the memory that was reserved for the body of a caller without a credential. */
  release(c: Context): void {
    this.#strangers.release(c.req);
  }

  #checkSender(c: Context): void {
    const { headers, url, method } = c.req.raw;
    const { port, names } = this.#options;
    const socket = incomingOf(c)?.socket;
    if (socket !== undefined) must(overLimit(socket));
    must(refuseAmbiguous(headers, socket));
    must(foreignHost(headers, url, ourHosts(port(), names)));
    if (changesState(method) || headers.has("upgrade")) must(foreignOrigin(headers));
  }

  async #callerFor(c: Context, route: RouteSpec): Promise<Caller | null> {
    if (route.access === "public") return null;
    const caller = this.#byBearer(c) ?? this.#byTicket(c, route);
    if (caller === null) {
      if (route.orToken && (await this.#bringsToken(c))) return null;
      throw noCredential();
    }
    must(refuseRoute(caller, route));
    return caller;
  }

  #byBearer(c: Context): Caller | null {
    const bearer = bearerOf(c.req.raw.headers);
    if (bearer === null) return null;
    if (bearer instanceof HostError) throw bearer;
    const caller = this.#options.access.authenticate(bearer);
    if (caller === null) throw this.#wrong(c);
    return inTenant(caller, c.req.header(TENANT_HEADER));
  }

  #byTicket(c: Context, route: RouteSpec): Caller | null {
    const ticket = route.stream === "sse" ? c.req.query("ticket") : undefined;
    if (ticket === undefined) return null;
    const caller = this.#options.access.useTicket(ticket);
    if (caller === null) throw this.#wrong(c);
    return caller;
  }

  async #bringsToken(c: Context): Promise<boolean> {
    if (foreignBody(c.req.raw.headers, c.req.method) !== null) return false;
    must(await this.#strangers.read(c.req, Math.min(this.#maxBody, TOKEN_BODY), sourceOf(c)));
    return tokensIn(await c.req.text()).length > 0;
  }

  /** Only callers with a credential learn whether a path exists. */
  #outsideTheTable(c: Context): null {
    if (isShell(c, this.#options.shell ?? []) || isNavigation(c)) return null;
    if (this.#byBearer(c) === null) throw noCredential();
    const allow = methodsAt(c.req.path).join(", ");
    if (allow === "") throw new HostError("not_found", "There is nothing at this address.");
    throw new HostError("method_not_allowed", `Only ${allow} can be used here.`, { allow });
  }

  #wrong(c: Context): HostError {
    return this.#failures.count(addressOf(c));
  }
}

function must(refused: HostError | null): void {
  if (refused !== null) throw refused;
}

/** The socket's address; a header could be forged. */
function addressOf(c: Context): string {
  return incomingOf(c)?.socket.remoteAddress ?? "unknown";
}

/** Keeps the socket open, because the answer uses it. */
function sourceOf(c: Context): Source {
  const incoming = incomingOf(c);
  if (incoming !== undefined) return incoming.iterator({ destroyOnReturn: false });
  return c.req.raw.body ?? new Blob([]).stream();
}

function incomingOf(c: Context): IncomingMessage | undefined {
  return (c.env as { incoming?: IncomingMessage } | undefined)?.incoming;
}
