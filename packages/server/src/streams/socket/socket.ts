/** `GET /api/ws`: admits upgrades to sockets, each of which follows many sessions. */

import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { HostError } from "@holdfast/protocol";
import { WebSocketServer } from "ws";
import type { Caller } from "../../access/credentials/caller.ts";
import { refuseUpgrade } from "../../access/guard/upgrade.ts";
import type { Streams } from "../streams.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";
import { SessionList } from "./session-list.ts";

interface SocketOptions extends Pick<ConnectionDeps, "authorise" | "answer"> {
  readonly server: Server;
  /** The caller, or the reason for the refusal; a wrong credential counts against its address. */
  readonly authenticate: (secret: string, address: string) => Caller | HostError;
  /** Checks Host and Origin; returns the refusal or null. */
  readonly admits: (request: IncomingMessage) => HostError | null;
}

const PATH = "/api/ws";

export function serveSockets(streams: Streams, options: SocketOptions): void {
  const { server, admits, authenticate, authorise, answer } = options;
  const { limits } = streams;
  const connections = new Set<Connection>();
  /** Connections that have not authenticated yet, with their addresses, the oldest first. */
  const strangers = new Map<Connection, string>();
  const deps: Omit<ConnectionDeps, "authenticate"> = {
    streams,
    list: new SessionList(streams),
    authorise,
    answer,
    hasPlace: ({ id }) => countOf(connections, id) < limits.socketsPerCredential,
  };
  const upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
  });

  /** Null for a socket that has to authenticate by its first message. */
  function callerOf(request: IncomingMessage): Caller | null | HostError {
    const refusal = streams.refusal(null) ?? admits(request);
    if (refusal !== null) return refusal;
    const secret = bearer(request);
    if (secret !== null) return authenticate(secret, addressOf(request));
    if (countOf(connections, null) >= limits.strangers) oldestOfMost(strangers)?.cut();
    return null;
  }

  function open(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const caller = callerOf(request);
    if (caller instanceof HostError) {
      refuseUpgrade(socket, caller);
      return;
    }
    const address = addressOf(request);
    const own = { ...deps, authenticate: (shown: string) => authenticate(shown, address) };
    upgrades.handleUpgrade(request, socket, head, (accepted) => {
      const connection = new Connection(own, accepted, caller);
      connections.add(connection);
      if (caller === null) strangers.set(connection, address);
      accepted.on("close", () => {
        connections.delete(connection);
        strangers.delete(connection);
      });
    });
  }

  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    if (request.url?.split("?")[0] === PATH) {
      try {
        open(request, socket, head);
      } catch (error) {
        streams.onError(null, error);
        socket.destroy();
      }
    } else if (server.listenerCount("upgrade") === 1) {
      // Node leaves all upgrades to this listener, so other paths must be refused here.
      refuseUpgrade(socket, elsewhere);
    }
  });
}

const elsewhere = new HostError("not_found", `WebSockets are served only at ${PATH}.`);

/** The oldest unauthenticated connection of the address that has most of them. */
function oldestOfMost(strangers: ReadonlyMap<Connection, string>): Connection | undefined {
  const waiting = [...strangers].filter(([{ callerId }]) => callerId === null);
  const counts = new Map<string, number>();
  for (const [, address] of waiting) counts.set(address, (counts.get(address) ?? 0) + 1);
  const [most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
  return waiting.find(([, address]) => address === most)?.[0];
}

function bearer({ headers }: IncomingMessage): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? null;
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "unknown";
}

function countOf(connections: ReadonlySet<Connection>, callerId: string | null): number {
  let count = 0;
  for (const connection of connections) if (connection.callerId === callerId) count++;
  return count;
}
