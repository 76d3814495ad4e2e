/** Where a host may listen. Beyond loopback only for names that someone gave on purpose. */

import { HostError } from "@holdfast/protocol";

const LOOPBACK = /^(localhost|::1|127\.\d+\.\d+\.\d+)$/;
const EVERYWHERE = /^(0|0\.0\.0\.0|::)?$/;
const NAME = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;
/** Browsers reach loopback by these; a page of anyone's could, too. */
const NOWHERE = /^(0\.0\.0\.0|\[::\])(:|$)/;

export interface Bind {
  readonly host: string;
  /** The names by which other machines will reach it, from `--allow-remote`. */
  readonly names: readonly string[];
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Every address of the machine: something to listen on, but nothing to be called by. */
export function isEverywhere(host: string): boolean {
  return EVERYWHERE.test(host);
}

export function refuseBind({ host, names }: Bind): HostError | null {
  const wrong = names.find((name) => !NAME.test(name) || NOWHERE.test(name));
  if (wrong !== undefined) {
    return new HostError(
      "bad_input",
      `"${wrong}" is not a name this host can be reached by. Give names such as box.example or box.example:4860.`,
    );
  }
  if (isLoopback(host) || names.length > 0) return null;
  return new HostError(
    "bad_input",
    `--host ${host} lets other machines in. If that is meant, say by which names: --allow-remote NAME[,NAME]. Otherwise leave --host out and use a tunnel.`,
  );
}

/** The address listened on, as a Host names it: loopback is known by its port, and everywhere is no name. */
export function boundNames(host: string): readonly string[] {
  if (isEverywhere(host) || /^(localhost|::1|127\.0\.0\.1)$/.test(host)) return [];
  return [host.includes(":") ? `[${host}]` : host];
}

/** To be said loudly at the start, or null when nothing leaves the machine. */
export function bindWarning({ host }: Bind): string | null {
  if (isLoopback(host)) return null;
  return `Anyone on the network can read what goes over plain http to ${host}, credentials too. Put a proxy with TLS in front, or use a tunnel.`;
}
