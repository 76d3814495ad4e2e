/**
 * Checks of a request's headers that run before its credential is read. Browsers send requests for
 * any page: the Host reveals a rebound name, Origin and Sec-Fetch-Site a foreign page, and a JSON
 * body forces a preflight. Each check returns a refusal or null.
 */

import { HostError, type RouteSpec } from "@holdfast/protocol";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
/** Honest clients send each of these once; a second one is an attempt to mislead another parser. */
const SINGLE = ["host", "authorization", "content-length"];

/** The Host values of this host: loopback names with our port, and explicitly allowed names. */
export function ourHosts(port: number, names: readonly string[] = []): ReadonlySet<string> {
  const hosts = [...LOOPBACK_NAMES, ...names].flatMap((name) =>
    hasPort(name) ? [name] : [`${name}:${port}`],
  );
  // Allowed names also without a port: browsers omit the default port, which a proxy may listen on.
  const bare = names.filter((name) => !hasPort(name));
  return new Set([...hosts, ...bare, ...(port === 80 ? LOOPBACK_NAMES : [])].map(lower));
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name);
}

/** A repeated header is joined by commas, and a single value of these never contains a comma. */
export function repeatedHeader(headers: Headers): HostError | null {
  const repeated = SINGLE.find((name) => headers.get(name)?.includes(",") === true);
  if (repeated === undefined) return null;
  return new HostError("bad_input", `Send the header ${repeated} once.`, { close: true });
}

/** Allows only `chunked`: with two codings, a proxy in front may understand just one of them. */
export function oddFraming(headers: Headers): HostError | null {
  const coding = lower(headers.get("transfer-encoding") ?? "chunked");
  if (coding === "chunked") return null;
  return new HostError("bad_input", "Send the body with a length, or in chunks.", { close: true });
}

/** The request target may name a host too (`GET http://evil.test/ HTTP/1.1`); it must be the same one. */
export function foreignHost(
  headers: Headers,
  url: string,
  ours: ReadonlySet<string>,
): HostError | null {
  const host = lower(headers.get("host") ?? "");
  if (ours.has(host) && URL.parse(url)?.host === new URL(`http://${host}`).host) return null;
  return new HostError(
    "bad_host",
    "This host does not accept that host name. Use the address that it printed, or allow the name with --allow-remote.",
  );
}

/** An absent Origin passes, because a credential is required in any case. */
export function foreignOrigin(headers: Headers): HostError | null {
  const origin = headers.get("origin");
  const host = lower(headers.get("host") ?? "");
  const own = origin === null || origin === `http://${host}` || origin === `https://${host}`;
  // A page on another port of this machine is "same-site", and may belong to an agent's own server.
  const site = headers.get("sec-fetch-site");
  if (own && (site === null || site === "same-origin" || site === "none")) return null;
  return new HostError(
    "bad_origin",
    "Pages of other origins may not use this API. Serve your page from the same origin.",
  );
}

/** A proxy that does not forward upgrades turns a WebSocket request into a plain GET with its key. */
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

/** Every method except GET and HEAD counts as a change. */
export function changesState(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

export function hasBody(headers: Headers): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
}

/** A foreign page can send forms and plain text without a preflight; compressed bodies could be bombs. */
export function foreignBody(headers: Headers, method: string): HostError | null {
  if (!hasBody(headers)) return null;
  if (!changesState(method)) return new HostError("bad_input", `A ${method} takes no body.`);
  const type = headers.get("content-type") ?? "";
  const encoding = lower(headers.get("content-encoding") ?? "identity");
  if (/^application\/json\s*(;|$)/i.test(type) && encoding === "identity") return null;
  return new HostError(
    "unsupported_media_type",
    "Send the body uncompressed, with content-type: application/json.",
  );
}

/** The secret of `Authorization: Bearer`; null when the header is absent. */
export function bearerOf(headers: Headers): string | null | HostError {
  const header = headers.get("authorization");
  if (header === null) return null;
  const [, secret] = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header) ?? [];
  return (
    secret ??
    new HostError("unauthorized", "Send the credential in the header Authorization: Bearer.")
  );
}

function lower(text: string): string {
  return text.toLowerCase();
}
