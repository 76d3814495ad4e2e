/** Addresses for a one-time link; those that other machines can reach come first. */

import type { RouteReply } from "@holdfast/protocol";
import { isEverywhere, isLoopback } from "../../access/bind.ts";

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** All names besides loopback that the host answers to, including its listening address. */
  readonly names: readonly string[];
}

/** The Host and Origin of a request that the guard has admitted. */
export interface CameBy {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

export interface LinkAddresses {
  readonly address: string;
  readonly others: readonly string[];
  readonly reach: Reach;
}

export type Reach = RouteReply<"createLink">["reach"];

const MOST_OTHERS = 8;

export function linkAddresses(listening: Listening, cameBy: CameBy): LinkAddresses {
  const named = listening.names.map((name) => addressOf(name, listening));
  const known = [...new Set([...cameFrom(cameBy), ...named])].filter(isFar);
  const [address = ownAddress(listening), ...others] = known;
  const reach = known.length > 0 ? "network" : "this-machine";
  return { address, others: others.slice(0, MOST_OTHERS), reach };
}

/** The address for programs on this machine; a wildcard address is replaced by loopback. */
export function ownAddress({ host, port }: Pick<Listening, "host" | "port">): string {
  if (isEverywhere(host)) return `http://${host === "::" ? "[::1]" : "127.0.0.1"}:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The code stands behind the `#`, which browsers do not send, so that it appears in no proxy's log. */
export function linkUrl(address: string, code: string): string {
  return `${address}/#link=${code}`;
}

/** The page's origin shows the browser's address, which a host behind a proxy cannot see. */
function cameFrom({ host, origin }: CameBy): string[] {
  if (host === undefined) return [];
  return [origin ?? `http://${host.toLowerCase()}`];
}

/** A name without our port belongs to a proxy in front, which is assumed to use TLS. */
function addressOf(name: string, { host, port }: Listening): string {
  const [own] = /:\d+$/.exec(name) ?? [];
  if (isLoopback(host) || (own !== undefined && own !== `:${port}`)) return `https://${name}`;
  return `http://${own === undefined ? `${name}:${port}` : name}`;
}

function isFar(address: string): boolean {
  const hostname = URL.parse(address)?.hostname.replace(/^\[|\]$/g, "") ?? "localhost";
  return !isLoopback(hostname);
}
