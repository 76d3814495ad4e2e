/**
 * What a handler is, typed by the route table. A handler translates: it takes what was asked, parsed
 * and already checked against its caller's tenant, calls a session or a port, and shows the result.
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
import type { Caller } from "../access/caller.ts";
import type { Guarded } from "../access/middleware.ts";
import type { Bytes } from "./bytes.ts";
import type { CameBy } from "./link-addresses.ts";
import type { AtRun, AtSession } from "./places.ts";

/** Nobody need be known where the answer is public, or where a token in the body may stand in. */
type CallerOf<N extends RouteName> = Routes[N] extends { access: "public" } | { orToken: true }
  ? Caller | null
  : Caller;

/** Where the words in the path lead; a handler never looks up an id of the path itself. */
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
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/** Answered with 202: the work goes on, whether or not anyone waits for it. */
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

export type Handler<N extends RouteName> = (ask: Ask<N>) => Answer<N> | Promise<Answer<N>>;

/** A stream writes its own response. */
export type StreamHandler<N extends RouteName> = (
  ask: Ask<N>,
  context: Context<Guarded>,
) => Response | Promise<Response>;

export type StreamName = {
  [N in RouteName]: Routes[N] extends { stream: string } ? N : never;
}[RouteName];

export type HandlersOf<N extends RouteName> = { readonly [K in N]: Handler<K> };
/** One for every route there is: a route without a handler does not compile. */
export type Handlers = HandlersOf<Exclude<RouteName, StreamName>>;
export type StreamHandlers = { readonly [N in StreamName]: StreamHandler<N> };
