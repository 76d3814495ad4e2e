/** A host and a port as requests and policies name them, in one spelling. */

import { isIP } from "node:net";

export interface Endpoint {
  /** A name in lower case without its final dot, or an address; IPv6 in its shortest form, without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
}

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
/** Resolvers take a last label of this kind for an IPv4 address: 2130706433, 0x7f.1, 127.1. */
const NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Null for all that is neither a plain name nor an address in its usual spelling. */
export function parseHost(text: string): Pick<Endpoint, "host" | "isAddress"> | null {
  if (text.startsWith("[")) {
    const inner = text.slice(1, -1);
    if (!text.endsWith("]") || isIP(inner) !== 6 || inner.includes("%")) return null;
    return { host: new URL(`http://[${inner}]`).hostname.slice(1, -1), isAddress: true };
  }
  const host = text.toLowerCase().replace(/\.$/, "");
  if (host === "localhost") return { host: "127.0.0.1", isAddress: true };
  if (isIP(host) === 4) return { host, isAddress: true };
  return NAME.test(host) && !NUMBER.test(host) ? { host, isAddress: false } : null;
}

/** Parses `host` or `host:port`; without a port it has `defaultPort`, and none means null. */
export function parseEndpoint(text: string, defaultPort: number | null): Endpoint | null {
  const [, hostText, portText] = /^(\[[^\]]*\]|[^:]*)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const host = hostText === undefined ? null : parseHost(hostText);
  const port = portText === undefined ? defaultPort : Number(portText);
  return host === null || port === null || port > 65_535 ? null : { ...host, port };
}

export function endpointText({ host, port }: Pick<Endpoint, "host" | "port">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
