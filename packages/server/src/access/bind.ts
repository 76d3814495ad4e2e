/** Rules for the listening address. Beyond loopback the operator must name the hosts explicitly. */

import { HostError } from "@holdfast/protocol";

const LOOPBACK = /^(localhost|::1|127\.\d+\.\d+\.\d+)$/;
const EVERYWHERE = /^(0|0\.0\.0\.0|::)?$/;
const NAME = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;
/** Refused as names: browsers resolve these to loopback, so that any web page could use them. */
const NOWHERE = /^(0\.0\.0\.0|\[::\])(:|$)/;

interface Bind {
  readonly host: string;
  /** The names by which other machines reach this host, from `--allow-remote`. */
  readonly names: readonly string[];
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** True for wildcard addresses: a host can listen on them, but cannot be addressed by them. */
export function isEverywhere(host: string): boolean {
  return EVERYWHERE.test(host);
}

export function refuseBind({ host, names }: Bind): HostError | null {
  const wrong = names.find((name) => !NAME.test(name) || NOWHERE.test(name));
  if (wrong !== undefined) {
    return new HostError(
      "bad_input",
      `"${wrong}" is not a host name. Give names such as box.example or box.example:4860.`,
    );
  }
  if (isLoopback(host) || names.length > 0) return null;
  return new HostError(
    "bad_input",
    `--host ${host} accepts connections from other machines. To allow that, name the addresses they use: --allow-remote NAME[,NAME]. Otherwise leave --host out and use a tunnel.`,
  );
}

/** The address as a Host header names it; empty for loopback and for wildcard addresses. */
export function boundNames(host: string): readonly string[] {
  if (isEverywhere(host) || /^(localhost|::1|127\.0\.0\.1)$/.test(host)) return [];
  return [host.includes(":") ? `[${host}]` : host];
}

/** A warning for the start-up output; null when the host listens on loopback only. */
export function bindWarning({ host }: Bind): string | null {
  if (isLoopback(host)) return null;
  return `Connections to ${host} are not encrypted: anyone on the network can read them, including credentials. Put a proxy with TLS in front, or use a tunnel.`;
}
