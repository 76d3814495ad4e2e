/**
 * A session's network policy: which names and addresses its sandbox may reach. A list limits where
 * data can go, and not what is sent there: an allowed host can receive anything.
 */

import { HostError } from "@holdfast/protocol/errors";
import { addressKind, isLoopbackAddress } from "./addresses.ts";
import { type Endpoint, parseEndpoint, parseHost } from "./endpoint.ts";
import type { RefusalReason } from "./refusals.ts";

export const networkModes = ["none", "allow", "open"] as const;

export interface NetworkPolicy {
  /** `none`: no host; `allow`: those of `hosts`; `open`: all public names, and those of `hosts`. */
  readonly mode: (typeof networkModes)[number];
  readonly hosts: readonly string[];
  /** The control API's own `host:port`; unreachable also when `hosts` names it. */
  readonly forbidden: readonly string[];
}

interface HostPattern extends Omit<Endpoint, "port"> {
  /** True for `*.name`, which stands for every name below it, and not for the name itself. */
  readonly isWildcard: boolean;
  /** Null for the ports of the web, 80 and 443. */
  readonly port: number | null;
}

const FORMS =
  "Known forms: example.com, *.example.com, example.com:8443, 10.1.2.3, 10.1.2.3:5432, [2001:db8::1]:443, 127.0.0.1:5432. A name or address without a port means ports 80 and 443.";

/** The pattern, or the reason why the text is none. */
export function parseHostPattern(text: string): HostPattern | HostError {
  const isWildcard = text.startsWith("*.");
  const rest = isWildcard ? text.slice(2) : text;
  const withPort = parseEndpoint(rest, null);
  const host = withPort ?? parseHost(rest);
  if (host === null) return mistake(text, "is not a host pattern");
  if (isWildcard && (host.isAddress || !host.host.includes(".")))
    return mistake(text, "is too wide");
  if (host.isAddress && addressKind(host.host) === "unusable")
    return mistake(text, "does not name one machine");
  if (host.isAddress && withPort === null && isLoopbackAddress(host.host))
    return mistake(text, "needs a port");
  return { host: host.host, isAddress: host.isAddress, isWildcard, port: withPort?.port ?? null };
}

export class AllowedHosts {
  readonly #mode: NetworkPolicy["mode"];
  readonly #hosts: readonly HostPattern[];
  readonly #forbidden: readonly HostPattern[];
  readonly #localAddresses: () => readonly string[];

  /** Throws `bad_input` with the known words and forms. */
  constructor(policy: NetworkPolicy, localAddresses: () => readonly string[]) {
    if (!networkModes.includes(policy.mode)) {
      throw new HostError(
        "bad_input",
        `"${policy.mode}" is not a network policy. Known ones: ${networkModes.join(", ")}.`,
      );
    }
    this.#mode = policy.mode;
    this.#hosts = policy.hosts.map(patternOrThrow);
    this.#forbidden = policy.forbidden.map(patternOrThrow);
    this.#localAddresses = localAddresses;
  }

  /** Judges the endpoint of a request before its name is resolved; null when it may be reached. */
  refuses(endpoint: Endpoint): RefusalReason | null {
    const { host, port, isAddress } = endpoint;
    if (this.#forbidden.some((pattern) => matches(pattern, endpoint))) return "control_api";
    const refused = isAddress ? this.refusesAddress(host, port) : null;
    if (refused !== null) return refused;
    if (this.#hosts.some((pattern) => matches(pattern, endpoint))) return null;
    if (this.#mode === "open" && !isAddress) return null;
    return this.#mode === "none" ? "no_network" : "not_allowed";
  }

  /** Judges an address that an allowed name resolved to. */
  refusesAddress(address: string, port: number): RefusalReason | null {
    const endpoint = { host: address, port, isAddress: true };
    const kind = addressKind(address);
    if (this.#isControlApi(endpoint)) return "control_api";
    if (kind === "public") return null;
    const isNamed = this.#hosts.some((pattern) => matches(pattern, endpoint));
    return kind === "special" && isNamed ? null : "private_address";
  }

  /** Every address of this machine leads to the control API's port, whichever one it listens on. */
  #isControlApi(endpoint: Endpoint): boolean {
    const { host, port } = endpoint;
    if (this.#forbidden.some((pattern) => matches(pattern, endpoint))) return true;
    if (!this.#forbidden.some((pattern) => pattern.isAddress && pattern.port === port))
      return false;
    return isLoopbackAddress(host) || this.#localAddresses().includes(host);
  }
}

function matches(pattern: HostPattern, { host, port, isAddress }: Endpoint): boolean {
  if (pattern.port === null ? port !== 80 && port !== 443 : port !== pattern.port) return false;
  if (pattern.isWildcard) return !isAddress && host.endsWith(`.${pattern.host}`);
  return host === pattern.host;
}

function patternOrThrow(text: string): HostPattern {
  const pattern = parseHostPattern(text);
  if (pattern instanceof HostError) throw pattern;
  return pattern;
}

function mistake(text: string, why: string): HostError {
  return new HostError("bad_input", `"${text}" ${why}. ${FORMS}`);
}
