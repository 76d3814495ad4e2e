/** Calls any route of the table by its name, fully typed. */

import {
  paths,
  type RouteBody,
  type RouteName,
  type RouteParams,
  type RoutePath,
  type RouteQuery,
  type RouteReply,
} from "@holdfast/protocol";
import { contentOf } from "./content.ts";
import { ApiError, apiError, TransportError, transportError } from "./errors.ts";
import { type Followed, type FollowSettings, type FollowTarget, follow } from "./event-stream.ts";
import { type Access, type Query, routeUrl, send } from "./request.ts";
import { pauseAfter, sleep, systemTimers, type Timers } from "./timers.ts";

export interface ClientOptions extends Access {
  /** Number of tries of a call without an answer, for routes that are safe to repeat. */
  readonly tries?: number;
  readonly timers?: Timers;
}

export interface Client {
  /** Throws `ApiError` when the host refuses, `TransportError` without an answer. */
  call<N extends CallName>(name: N, ...options: OptionsOf<N>): Promise<RouteReply<N>>;
  follow(what: FollowTarget & FollowSettings): AsyncGenerator<Followed, void, void>;
}

/** All routes with a single answer; streams are followed instead. */
export type CallName = {
  [N in RouteName]: [RouteReply<N>] extends [never] ? never : N;
}[RouteName];

export type CallOptions<N extends RouteName> = ParamsOf<N> &
  QueryOf<N> &
  BodyOf<N> & {
    /** Makes a repeated POST count once. Generated when absent; pass one to repeat a call yourself. */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  };

type Nothing = Readonly<Record<never, never>>;
type ParamsOf<N extends RouteName> = [keyof RouteParams<N>] extends [never]
  ? Nothing
  : { readonly params: RouteParams<N> };
type QueryOf<N extends RouteName> =
  RouteQuery<N> extends undefined ? Nothing : { readonly query?: Partial<RouteQuery<N>> };
type BodyOf<N extends RouteName> =
  RouteBody<N> extends undefined
    ? Nothing
    : undefined extends RouteBody<N>
      ? { readonly body?: RouteBody<N> }
      : { readonly body: RouteBody<N> };
type OptionsOf<N extends RouteName> =
  Nothing extends CallOptions<N> ? [options?: CallOptions<N>] : [options: CallOptions<N>];

/** Longer than the slowest legitimate answer: reads are quick, and a revive replies within 90 s. */
const noAnswer = (method: string | undefined) => (method === "GET" ? 30_000 : 120_000);
const TRIES = 3;

export function createClient(options: ClientOptions): Client {
  return {
    call: (name, ...[given]) => call(options, name, (given ?? {}) as Given) as never,
    follow: (what) => follow({ ...options, ...what }),
  };
}

interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

async function call(access: ClientOptions, name: RouteName, given: Given): Promise<unknown> {
  const { timers = systemTimers, tries = TRIES } = access;
  const init = initOf(name, given);
  const most = paths[name].repeat ? tries : 1;
  for (let failures = 0; ; failures++) {
    try {
      return await once(access, routeUrl(access.url, name, given.params, given.query), init, given);
    } catch (error) {
      if (!(error instanceof TransportError) || failures + 1 >= most) throw error;
      await sleep(timers, pauseAfter(failures, timers.random), given.signal);
      given.signal?.throwIfAborted();
    }
  }
}

function initOf(name: RouteName, { body, idempotencyKey }: Given): RequestInit {
  const { method, bytes }: RoutePath = paths[name];
  const accept = bytes === true ? "application/octet-stream" : "application/json";
  const headers: Record<string, string> = { accept };
  if (method === "POST") headers["idempotency-key"] = idempotencyKey ?? randomKey();
  if (method === "GET" || method === "DELETE") return { method, headers };
  headers["content-type"] = "application/json";
  return { method, headers, body: JSON.stringify(body ?? {}) };
}

async function once(access: ClientOptions, url: string, init: RequestInit, { signal }: Given) {
  const { timers = systemTimers } = access;
  signal?.throwIfAborted();
  const silence = new AbortController();
  const limit = noAnswer(init.method);
  const said = `${url} did not answer within ${limit / 1000} s.`;
  let cancel = () => {};
  const waitOn = () => {
    cancel();
    cancel = timers.after(limit, () => silence.abort(new TransportError(said)));
  };
  waitOn();
  const signals = signal === undefined ? [silence.signal] : [silence.signal, signal];
  try {
    const response = await send(access, url, { ...init, signal: AbortSignal.any(signals) });
    if (!response.ok) throw await apiError(response);
    return await contentOf(response, waitOn);
  } catch (error) {
    // An abort by the caller is neither a refusal nor a transport error.
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ApiError) throw error;
    throw transportError(error, url);
  } finally {
    cancel();
  }
}

/** `randomUUID` is missing on plain http in a LAN; `getRandomValues` is available. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
