/**
 * By which addresses a one-time link can be opened: those that this host answers to, and no other.
 * A link is for one more device, so an address that other machines can reach comes first.
 */

import type { RouteReply } from "@holdfast/protocol";
import { isEverywhere, isLoopback } from "../access/bind.ts";

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Every name besides loopback that it answers to, the address it is bound to among them. */
  readonly names: readonly string[];
}

/** What a request said of the address it came by; the guard has let in none but ours. */
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

/** Where a program on this machine finds the host: "everywhere" is an address to listen on, none to go to. */
export function ownAddress({ host, port }: Pick<Listening, "host" | "port">): string {
  if (isEverywhere(host)) return `http://${host === "::" ? "[::1]" : "127.0.0.1"}:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Behind the `#`: what stands there is sent to nobody, and no proxy's log has it. */
export function linkUrl(address: string, code: string): string {
  return `${address}/#link=${code}`;
}

/** A page's own origin says how the browser got here, which the host behind a proxy cannot see. */
function cameFrom({ host, origin }: CameBy): string[] {
  if (host === undefined) return [];
  return [origin ?? `http://${host.toLowerCase()}`];
}

/** A name that leads to no port of ours leads to whatever stands in front, which speaks TLS. */
function addressOf(name: string, { host, port }: Listening): string {
  const [own] = /:\d+$/.exec(name) ?? [];
  if (isLoopback(host) || (own !== undefined && own !== `:${port}`)) return `https://${name}`;
  return `http://${own === undefined ? `${name}:${port}` : name}`;
}

function isFar(address: string): boolean {
  const hostname = URL.parse(address)?.hostname.replace(/^\[|\]$/g, "") ?? "localhost";
  return !isLoopback(hostname);
}
