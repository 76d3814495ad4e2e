/** One request in origin or absolute form, and its reply; both are streamed. */

import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import type { AllowedHosts } from "./allowed.ts";
import { type Endpoint, endpointText, parseEndpoint } from "./endpoint.ts";
import { type Origins, parseAbsolute, type Upstream } from "./origin.ts";
import { type RefusalReason, type Refusals, RefusedEndpoint, refusalText } from "./refusals.ts";
import { forwardedHeaders, hasFramedBody, headMistake, hostIs } from "./request-head.ts";
import type { UpstreamCredentials } from "./upstream-credentials.ts";
import type { Upstreams } from "./upstreams.ts";

export interface ExchangeContext {
  readonly origins: Origins;
  readonly allowed: () => AllowedHosts;
  readonly credentials: () => UpstreamCredentials;
  readonly upstreams: Upstreams;
  readonly refusals: Refusals;
}

type Answer = readonly [status: number, text: string];

/**
 * Returns the far end of the request, so that a later policy can end it; null when refused. A
 * request inside a CONNECT tunnel goes to the tunnel's own endpoint.
 */
export function exchange(
  context: ExchangeContext,
  message: IncomingMessage,
  reply: ServerResponse,
  tunnelTo: Endpoint | null,
): Endpoint | null {
  reply.sendDate = false;
  reply.shouldKeepAlive = false;
  const upstream = upstreamOf(context, message, tunnelTo);
  if (!("endpoint" in upstream)) {
    answer(reply, upstream);
    return null;
  }
  const reason = context.allowed().refuses(upstream.endpoint);
  if (reason !== null) {
    refuse(context, upstream, reply, reason);
    return null;
  }
  forward(context, upstream, message, reply);
  return upstream.endpoint;
}

function upstreamOf(
  { origins }: ExchangeContext,
  message: IncomingMessage,
  tunnelTo: Endpoint | null,
): Upstream | Answer {
  const { url: target = "", method, headers } = message;
  const mistake = headMistake(message);
  if (mistake !== null) return bad(mistake);
  // The far end would send the request back, with the credential in it.
  if (method === "TRACE") return [405, "TRACE is not forwarded.\n"];
  // A client that offers h2c goes on with HTTP/1.1 when the offer is ignored.
  if (headers.upgrade !== undefined && headers.upgrade.toLowerCase() !== "h2c")
    return [501, "Connections cannot be upgraded here. Use https, through a CONNECT tunnel.\n"];
  if (tunnelTo !== null) {
    if (!target.startsWith("/") || !hostIs(message, tunnelTo))
      return bad("Host and CONNECT name two hosts.");
    return { endpoint: tunnelTo, isTls: false, path: target };
  }
  if (!target.startsWith("/")) {
    const upstream = parseAbsolute(target);
    if (upstream === null) return bad(`${target} is not an http URL with a plain host name.`);
    return hostIs(message, upstream.endpoint) ? upstream : bad("Host and URL name two hosts.");
  }
  const host = parseEndpoint(headers.host ?? "127.0.0.1", 80);
  if (host?.host !== "127.0.0.1" && host?.host !== "::1")
    return bad("Requests to other hosts need the whole URL (GET http://host/path), or CONNECT.");
  return origins.find(target) ?? [404, "No base URL of this session has this path.\n"];
}

function forward(
  context: ExchangeContext,
  upstream: Upstream,
  message: IncomingMessage,
  reply: ServerResponse,
): void {
  const { method = "GET" } = message;
  let request: ClientRequest;
  try {
    request = context.upstreams.request({
      ...upstream,
      method,
      headers: requestHeaders(context, upstream, message),
    });
  } catch (error) {
    // Characters that the parser takes and Node does not send.
    answer(
      reply,
      bad(`The request cannot be forwarded: ${(error as NodeJS.ErrnoException).code}.`),
    );
    return;
  }
  const fail = (error: Error) => {
    if (reply.headersSent) reply.destroy();
    else if (error instanceof RefusedEndpoint) refuse(context, upstream, reply, error.reason);
    else
      answer(reply, [
        502,
        `${endpointText(upstream.endpoint)} cannot be reached: ${error.message}.\n`,
      ]);
  };
  request.on("error", fail);
  request.on("response", (response) => {
    try {
      reply.writeHead(response.statusCode ?? 502, [...forwardedHeaders(response.rawHeaders, [])]);
    } catch (error) {
      // A status or a character that the parser takes and Node does not send.
      request.destroy(error as Error);
      return;
    }
    reply.flushHeaders();
    pipeline(response, reply, () => undefined);
  });
  reply.on("close", () => request.destroy());
  // Not a pipeline, which would close the sandbox's connection before a refusal was answered.
  if (hasFramedBody(message)) message.pipe(request);
  else request.end();
}

function requestHeaders(
  { credentials }: ExchangeContext,
  { endpoint, isTls }: Upstream,
  { rawHeaders, headers }: IncomingMessage,
): readonly string[] {
  const own = credentials().for(endpoint, isTls);
  const replaced = own.map(({ header }) => header.toLowerCase());
  const isDefaultPort = endpoint.port === (isTls ? 443 : 80);
  const text = endpointText(endpoint);
  return [
    "Host",
    isDefaultPort ? text.slice(0, text.lastIndexOf(":")) : text,
    ...forwardedHeaders(rawHeaders, ["host", "expect", "content-length", ...replaced]),
    // Written last, so that no Connection header of the sandbox can take it away.
    ...own.flatMap(({ header, value }) => [header, value]),
    ...framing(headers),
  ];
}

/** Always said: without it Node would send the body of a GET request unframed. */
function framing(headers: IncomingMessage["headers"]): readonly string[] {
  if (headers["transfer-encoding"] !== undefined) return ["Transfer-Encoding", "chunked"];
  const { "content-length": length } = headers;
  return length === undefined ? [] : ["Content-Length", length];
}

function refuse(
  { refusals }: ExchangeContext,
  { endpoint }: Upstream,
  reply: ServerResponse,
  reason: RefusalReason,
): void {
  refusals.add(endpoint, reason);
  answer(reply, [403, refusalText(endpoint, reason)], reason);
}

function bad(text: string): Answer {
  return [400, `${text}\n`];
}

function answer(reply: ServerResponse, [status, text]: Answer, reason?: RefusalReason): void {
  const why = reason === undefined ? {} : { "Holdfast-Refused": reason };
  reply.writeHead(status, { "Content-Type": "text/plain", ...why }).end(text);
}
