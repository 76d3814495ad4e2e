/**
 * The types of handlers, derived from the route table. A handler translates: it takes a request
 * that is parsed and checked against the caller's tenant, calls a session or a port, and returns a
 * view.
 */

import type {
  ParsedBody,
  ParsedQuery,
  RouteName,
  RouteParams,
  RouteReply,
  Routes,
} from "@holdfast/protocol";
import type { Context } from "hono";
import type { Caller } from "../../access/credentials/caller.ts";
import type { Guarded } from "../../access/guard/middleware.ts";
import type { Bytes } from "./bytes.ts";
import type { CameBy } from "./link-addresses.ts";
import type { AtRun, AtSession } from "./resolve-ids.ts";

/** The caller may be null on public routes, and on routes that accept a token in the body. */
type CallerOf<N extends RouteName> = Routes[N] extends { access: "public" } | { orToken: true }
  ? Caller | null
  : Caller;

/** The session or run that the path names; handlers never look up an id of the path themselves. */
type Place<N extends RouteName> =
  RouteParams<N> extends { runId: string }
    ? AtRun
    : RouteParams<N> extends { sessionId: string }
      ? AtSession
      : null;

export interface Ask<N extends RouteName> {
  readonly caller: CallerOf<N>;
  readonly params: RouteParams<N>;
  readonly query: ParsedQuery<N>;
  readonly body: ParsedBody<N>;
  readonly idempotencyKey: string | undefined;
  readonly cameBy: CameBy;
  readonly at: Place<N>;
  readonly gone: AbortSignal;
}

/** Answered with 202: the work continues after the answer. */
export class GoesOn<T> {
  readonly reply: T;

  constructor(reply: T) {
    this.reply = reply;
  }
}

type Answer<N extends RouteName> = Routes[N] extends { goesOn: true }
  ? RouteReply<N> | GoesOn<RouteReply<N>>
  : Routes[N] extends { bytes: true }
    ? Bytes
    : Routes[N] extends { orBytes: true }
      ? RouteReply<N> | Bytes
      : RouteReply<N>;

type Handler<N extends RouteName> = (ask: Ask<N>) => Answer<N> | Promise<Answer<N>>;

type StreamHandler<N extends RouteName> = (
  ask: Ask<N>,
  context: Context<Guarded>,
) => Response | Promise<Response>;

type StreamName = {
  [N in RouteName]: Routes[N] extends { stream: string } ? N : never;
}[RouteName];

export type HandlersOf<N extends RouteName> = { readonly [K in N]: Handler<K> };
/** A route without a handler does not compile. */
export type Handlers = HandlersOf<Exclude<RouteName, StreamName>>;
export type StreamHandlers = { readonly [N in StreamName]: StreamHandler<N> };
