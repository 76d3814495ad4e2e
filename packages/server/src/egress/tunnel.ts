/**
 * CONNECT tunnels. To a name, a tunnel carries TLS whose server name is the CONNECT name, and no
 * byte goes on before that is known: at a shared address another name would be another host. Plain
 * text in it must be an HTTP request to that name, which the egress reads as it reads all others:
 * Node's `fetch` asks for http:// URLs in this way. To an address that the policy names, a tunnel
 * carries anything, because address and port are all there is to check.
 */

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { AllowedHosts } from "./allowed.ts";
import { type HelloVerdict, readServerName } from "./client-hello.ts";
import type { EgressLimits } from "./egress-limits.ts";
import { type Endpoint, endpointText, parseEndpoint } from "./endpoint.ts";
import { nodeHttp } from "./node-http.ts";
import { type RefusalReason, type Refusals, RefusedEndpoint, refusalText } from "./refusals.ts";
import { headMistake, hostIs } from "./request-head.ts";
import type { Upstreams } from "./upstreams.ts";

export interface TunnelContext {
  readonly allowed: () => AllowedHosts;
  readonly upstreams: Upstreams;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly limits: EgressLimits;
  /** Reads the bytes, and what follows them, as an HTTP request to the endpoint. */
  readonly serveHttp: (socket: Socket, endpoint: Endpoint, bytes: Buffer) => void;
}

/** A fatal TLS alert, access_denied: the only answer that a TLS client shows. */
const ACCESS_DENIED = Buffer.from([21, 3, 1, 0, 2, 2, 49]);

export interface ConnectRequest {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  /** Bytes that arrived with the request. */
  readonly head: Buffer;
}

/** Returns the endpoint of the tunnel, so that a later policy can end it; null when refused. */
export function tunnel(context: TunnelContext, request: ConnectRequest): Endpoint | null {
  const { message, socket } = request;
  const endpoint = parseEndpoint(message.url ?? "", null);
  const mistake = headMistake(message);
  if (mistake !== null || endpoint === null || !hostIs(message, endpoint)) {
    const asked = endpoint === null ? "CONNECT needs a plain host name and a port." : null;
    endWith(socket, 400, `${mistake ?? asked ?? "Host and CONNECT name two hosts."}\n`);
    return null;
  }
  const reason = context.allowed().refuses(endpoint);
  if (reason !== null) {
    refuse(context, socket, endpoint, reason);
    return null;
  }
  open(context, request, endpoint).catch((error: Error) => {
    if (error instanceof RefusedEndpoint) refuse(context, socket, endpoint, error.reason);
    else endWith(socket, 502, `${endpointText(endpoint)} cannot be reached: ${error.message}.\n`);
  });
  return endpoint;
}

async function open(context: TunnelContext, request: ConnectRequest, endpoint: Endpoint) {
  const { socket, head } = request;
  const upstream = await context.upstreams.open(endpoint);
  if (socket.destroyed) {
    upstream.destroy();
    return;
  }
  const separate = destroyTogether(socket, upstream);
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (endpoint.isAddress) {
    upstream.write(head);
    join(socket, upstream);
    return;
  }
  readHello(context, request, (bytes, verdict) => {
    if (verdict === "plain") {
      separate();
      upstream.destroy();
      context.serveHttp(socket, endpoint, bytes);
      return;
    }
    const reason = refusalOf(verdict, endpoint);
    if (reason === null) {
      upstream.write(bytes);
      join(socket, upstream);
      return;
    }
    context.refusals.add(endpoint, reason);
    upstream.destroy();
    socket.end(ACCESS_DENIED);
    socket.destroySoon();
  });
}

function refusalOf(
  verdict: Exclude<HelloVerdict, "plain">,
  { host }: Endpoint,
): RefusalReason | null {
  if (verdict === "more") return "bad_tls";
  if (typeof verdict === "string") return verdict;
  return verdict.serverName === host ? null : "wrong_name";
}

/** Calls `done` once with all bytes so far: when the name is known, or the bytes or the time are used up. */
function readHello(
  { clock, limits }: TunnelContext,
  { socket, head }: ConnectRequest,
  done: (bytes: Buffer, verdict: HelloVerdict) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  const finish = (verdict: HelloVerdict) => {
    cancel();
    socket.off("data", take);
    socket.off("close", cancel);
    socket.pause();
    done(bytes, verdict);
  };
  const take = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    const verdict = readServerName(bytes);
    if (verdict !== "more" || bytes.length >= limits.helloBytes) finish(verdict);
  };
  const cancel = clock.after(limits.hello, () => {
    if (bytes.length === 0) socket.destroy();
    else finish("more");
  });
  socket.on("close", cancel);
  socket.on("data", take);
  if (head.length > 0) take(head);
}

/** Copies both ways; each side's own buffer limits how far the other may run ahead. */
function join(socket: Socket, upstream: Socket): void {
  socket.pipe(upstream);
  upstream.pipe(socket);
}

/** Each side closes with the other; bytes that were received are still delivered. Returns the way back. */
function destroyTogether(socket: Socket, upstream: Socket): () => void {
  const close = (other: Socket) => (hadError: boolean) => {
    if (hadError) other.destroy();
    else other.destroySoon();
  };
  const [closeUpstream, closeSocket] = [close(upstream), close(socket)];
  socket.once("close", closeUpstream);
  upstream.once("close", closeSocket);
  return () => {
    socket.off("close", closeUpstream);
    upstream.off("close", closeSocket);
  };
}

function refuse(
  { refusals }: TunnelContext,
  socket: Socket,
  endpoint: Endpoint,
  reason: RefusalReason,
): void {
  refusals.add(endpoint, reason);
  // Of a refused CONNECT many clients show the status line alone.
  endWith(socket, 403, refusalText(endpoint, reason), `Refused by Holdfast: ${reason}`);
}

/** Answers on a socket that Node's server does not own, and closes it. */
export function endWith(
  socket: Socket,
  status: number,
  text: string,
  phrase = nodeHttp.STATUS_CODES[status],
): void {
  const head = `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: text/plain\r\nConnection: close`;
  if (socket.writable) socket.write(`${head}\r\n\r\n${text}`);
  socket.destroySoon();
}
