/** How many connections one address may hold. One too many is told so, and not served. */

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { HostError } from "@holdfast/protocol";

export interface ConnectionLimits {
  /** All addresses together; the system's own limit on files is often not far above. */
  readonly total: number;
  /** A family behind one router, each with several tabs. */
  readonly perAddress: number;
  /** Everything on this machine, and a proxy in front of us, comes from loopback. */
  readonly loopback: number;
}

export const connectionLimits: ConnectionLimits = {
  total: 8192,
  perAddress: 256,
  loopback: 4096,
};

const refused = new WeakSet<Socket>();

/** No address may hold so many past its limit that there is no room for others: see `total`. */
const MOST_TOLD = 256;

/**
 * A connection past the limit is answered through the guard, by words. Far past it, it is cut without
 * any, because words cost as much as service.
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
