/**
 * What a request's headers must say before anyone looks at its credential. Browsers send requests
 * for any page that asks: the Host tells a rebound name, Origin and Sec-Fetch-Site a foreign page,
 * and a JSON body makes it ask first. Each check is a refusal or null.
 */

import { HostError, type RouteSpec } from "@holdfast/protocol";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
/** Sent once each by every honest client; a second one is meant for another parser than ours. */
const SINGLE = ["host", "authorization", "content-length"];

/** The Host values that mean this host: loopback by our port, and names allowed on purpose. */
export function ourHosts(port: number, names: readonly string[] = []): ReadonlySet<string> {
  const hosts = [...LOOPBACK_NAMES, ...names].flatMap((name) =>
    hasPort(name) ? [name] : [`${name}:${port}`],
  );
  // Browsers leave the usual port out, and a proxy in front of us has it.
  const bare = names.filter((name) => !hasPort(name));
  return new Set([...hosts, ...bare, ...(port === 80 ? LOOPBACK_NAMES : [])].map(lower));
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name);
}

/** A repeated header is joined by commas, and none of these may hold one. */
export function repeatedHeader(headers: Headers): HostError | null {
  const repeated = SINGLE.find((name) => headers.get(name)?.includes(",") === true);
  if (repeated === undefined) return null;
  return new HostError("bad_input", `Send the header ${repeated} once.`, { close: true });
}

/** Chunks and nothing else: of two codings a proxy before us may know only one. */
export function oddFraming(headers: Headers): HostError | null {
  const coding = lower(headers.get("transfer-encoding") ?? "chunked");
  if (coding === "chunked") return null;
  return new HostError("bad_input", "Send the body with a length, or in chunks.", { close: true });
}

/** The target may name a host of its own (`GET http://evil.test/ HTTP/1.1`), which must be the same. */
export function foreignHost(
  headers: Headers,
  url: string,
  ours: ReadonlySet<string>,
): HostError | null {
  const host = lower(headers.get("host") ?? "");
  if (ours.has(host) && URL.parse(url)?.host === new URL(`http://${host}`).host) return null;
  return new HostError(
    "bad_host",
    "This host does not answer to that name. Use the address it printed, or allow the name on purpose with --allow-remote.",
  );
}

/** Absent is no proof of anything: a credential is needed all the same. */
export function foreignOrigin(headers: Headers): HostError | null {
  const origin = headers.get("origin");
  const host = lower(headers.get("host") ?? "");
  const own = origin === null || origin === `http://${host}` || origin === `https://${host}`;
  // A page on another port of this machine is "same-site", and may be an agent's own server.
  const site = headers.get("sec-fetch-site");
  if (own && (site === null || site === "same-origin" || site === "none")) return null;
  return new HostError("bad_origin", "Pages of other origins may not do this.");
}

/** A proxy that forwards no upgrades leaves of a WebSocket a plain GET with its key. */
export function lostUpgrade(
  headers: Headers,
  { stream }: Pick<RouteSpec, "stream">,
): HostError | null {
  if (stream !== "websocket" || !headers.has("sec-websocket-key") || headers.has("upgrade")) {
    return null;
  }
  return new HostError(
    "upgrade_required",
    "This WebSocket arrived as a plain request: the proxy in front must pass Upgrade and Connection on.",
  );
}

/** GET and HEAD change nothing; whatever else comes is treated as if it did. */
export function changesState(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

export function hasBody(headers: Headers): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
}

/** Forms and plain text are what a foreign page can send unasked; packed bodies could be bombs. */
export function foreignBody(headers: Headers, method: string): HostError | null {
  if (!hasBody(headers)) return null;
  if (!changesState(method)) return new HostError("bad_input", `A ${method} takes no body.`);
  const type = headers.get("content-type") ?? "";
  const encoding = lower(headers.get("content-encoding") ?? "identity");
  if (/^application\/json\s*(;|$)/i.test(type) && encoding === "identity") return null;
  return new HostError(
    "unsupported_media_type",
    "Send the body as it is, with content-type: application/json.",
  );
}

/** The secret of `Authorization: Bearer`; null when the header is absent. */
export function bearerOf(headers: Headers): string | null | HostError {
  const header = headers.get("authorization");
  if (header === null) return null;
  const [, secret] = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header) ?? [];
  return secret ?? new HostError("unauthorized", "Send Authorization: Bearer and the credential.");
}

function lower(text: string): string {
  return text.toLowerCase();
}
