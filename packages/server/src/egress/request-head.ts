/**
 * The head of a request as the sandbox sent it. Node's parser refuses folded headers, and a
 * Content-Length beside a Transfer-Encoding; the rest of what two servers could read differently is
 * refused here. A head that goes on is written anew: framing and Host are the egress's own.
 */

import type { IncomingMessage } from "node:http";
import { type Endpoint, parseEndpoint } from "./endpoint.ts";

/** Meant for one connection, not for the far end (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const ONCE = ["host", "content-length", "transfer-encoding", "content-type", "authorization"];

/** Names of headers that no credential can be. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return HOP_BY_HOP.has(lower) || lower === "host" || lower === "content-length";
}

/** The mistake in a head, as a sentence; null when all servers read it alike. */
export function headMistake(message: IncomingMessage): string | null {
  const { headersDistinct, httpVersion, method } = message;
  const repeated = ONCE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated !== undefined) return `The header ${repeated} stands there more than once.`;
  const [encoding] = headersDistinct["transfer-encoding"] ?? [];
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked")
    return "The only Transfer-Encoding is chunked.";
  if (encoding !== undefined && httpVersion !== "1.1") return "Transfer-Encoding needs HTTP/1.1.";
  if (method === "CONNECT" && hasFramedBody(message)) return "A CONNECT request has no body.";
  return null;
}

export function hasFramedBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** True if the Host header names the target, with or without its port; HTTP/1.0 may leave it out. */
export function hostIs({ headers, httpVersion }: IncomingMessage, target: Endpoint): boolean {
  if (headers.host === undefined) return httpVersion === "1.0";
  const host = parseEndpoint(headers.host, target.port);
  return host !== null && host.host === target.host && host.port === target.port;
}

/** The headers that go on to the other side, without those of this connection alone. */
export function forwardedHeaders(
  rawHeaders: readonly string[],
  without: readonly string[],
): readonly string[] {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
  const dropped = new Set([...HOP_BY_HOP, ...without]);
  for (const [name, value] of pairs) {
    if (name.toLowerCase() !== "connection") continue;
    for (const token of value.split(",")) dropped.add(token.trim().toLowerCase());
  }
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
