/**
 * Detects a peer that no longer reads. A half-open connection accepts heartbeats into the kernel
 * forever; only the kernel knows that they stay unconfirmed, and Linux reports it.
 */

import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Sent and unconfirmed bytes, by the two ports of a connection. */
export type Unconfirmed = ReadonlyMap<string, number>;

export const portsOf = ({ localPort, remotePort }: Socket): string => `${localPort} ${remotePort}`;

/** Null on systems that do not report it. */
export function readUnconfirmed(): Unconfirmed | null {
  const bytes = new Map<string, number>();
  let told = false;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    try {
      addRows(readFileSync(table, "utf8"), bytes);
      told = true;
    } catch {
      // Another system, or a container without this file.
    }
  }
  return told ? bytes : null;
}

/** Two connections may share both ports with different addresses: then the livelier one counts. */
export function addRows(table: string, bytes: Map<string, number>): void {
  for (const line of table.split("\n").slice(1)) {
    const [, local = "", remote = "", , queues = ""] = line.trim().split(/\s+/);
    const port = (address: string) => Number.parseInt(address.split(":")[1] ?? "", 16);
    const key = `${port(local)} ${port(remote)}`;
    const sent = Number.parseInt(queues.split(":")[0] ?? "", 16);
    if (!Number.isNaN(sent)) bytes.set(key, Math.min(bytes.get(key) ?? sent, sent));
  }
}

/** Watches one connection: true once no byte was confirmed for `limit`, while some were pending. */
export class Confirmations {
  readonly #limit: number;
  #last = 0;
  #since: number | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  isGone(bytes: number, now: number): boolean {
    const stands = bytes > 0 && bytes >= this.#last;
    this.#last = bytes;
    this.#since = stands ? (this.#since ?? now) : null;
    return this.#since !== null && now - this.#since >= this.#limit;
  }
}
