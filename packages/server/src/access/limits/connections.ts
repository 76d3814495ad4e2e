/** Limits the connections per address and in total; a connection above its limit gets a refusal. */

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { HostError } from "@holdfast/protocol";

export interface ConnectionLimits {
  /** For all addresses together; the operating system's limit on open files is often not much higher. */
  readonly total: number;
  /** Enough for a family behind one router, each with several tabs. */
  readonly perAddress: number;
  /** Higher, because local programs and a reverse proxy all connect from loopback. */
  readonly loopback: number;
}

export const connectionLimits: ConnectionLimits = {
  total: 8192,
  perAddress: 256,
  loopback: 4096,
};

const refused = new WeakSet<Socket>();

/** Connections per address that still get a worded refusal, so that `total` leaves room for others. */
const MOST_TOLD = 256;

/**
 * A connection above its limit gets a refusal from the guard. Far above it, the connection is
 * closed without an answer, because a refusal costs as much as service.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const open = new Map<string, number>();
  server.maxConnections = limits.total;
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const most = isLoopback(address) ? limits.loopback : limits.perAddress;
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > most) refused.add(socket);
    if (count > most + Math.min(most, MOST_TOLD)) socket.destroy();
  });
}

export function overLimit(socket: Socket): HostError | null {
  if (!refused.has(socket)) return null;
  return new HostError(
    "too_many_connections",
    "Too many connections come from your address. Close some, and try again.",
  );
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
