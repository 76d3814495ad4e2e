/**
 * The egress: the only way from a sandbox to the network. It takes the connections of one sandbox
 * and runs in that sandbox's holder, so that a restart of the host does not cut a model's reply.
 * Each connection carries one request, in origin form, absolute form or CONNECT.
 */

import { lookup } from "node:dns/promises";
import { isIPv6, connect as netConnect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Clock } from "../base/clock.ts";
import { AllowedHosts, type NetworkPolicy } from "./allowed.ts";
import { type EgressLimits, egressLimits } from "./egress-limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { exchange } from "./exchange.ts";
import { nodeHttp } from "./node-http.ts";
import { type Origin, Origins } from "./origin.ts";
import { type NetworkRefusal, Refusals } from "./refusals.ts";
import { endWith, tunnel } from "./tunnel.ts";
import { type UpstreamCredential, UpstreamCredentials } from "./upstream-credentials.ts";
import { type Connect, type Resolve, Upstreams } from "./upstreams.ts";

export interface EgressOptions {
  readonly policy: NetworkPolicy;
  /** Base URLs that the sandbox was given. */
  readonly origins?: readonly Origin[];
  readonly credentials?: readonly UpstreamCredential[];
  readonly clock: Clock;
  /** Called once for many refusals of a kind; the sandbox itself gets each as an answer. */
  readonly onRefused: (refusal: NetworkRefusal) => void;
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  /** The addresses of this machine, all of which lead to the control API's port. */
  readonly localAddresses?: () => readonly string[];
  /** Certificates to trust in origin and absolute form, instead of Node's own. */
  readonly ca?: string;
  readonly limits?: Partial<EgressLimits>;
}

export interface EgressCounters {
  readonly open: number;
  readonly accepted: number;
  /** Connections that were closed at once because too many were open. */
  readonly overLimit: number;
  readonly refused: number;
}

export interface Egress {
  /** Takes over a connection of the sandbox. */
  accept(socket: Socket): void;
  /** Replaces the policy, and ends open connections that it refuses. Throws `bad_input`. */
  setPolicy(policy: NetworkPolicy): void;
  /** Adds a host to the policy; the next request can reach it. Throws `bad_input`. */
  allow(host: string): void;
  setCredentials(credentials: readonly UpstreamCredential[]): void;
  counters(): EgressCounters;
  close(): void;
}

interface Connection {
  cancelHead: () => void;
  /** True from the first complete head on. */
  isRead: boolean;
  /** The endpoint of the CONNECT tunnel in which plain HTTP is read. */
  tunnelTo: Endpoint | null;
  /** The far end of what is forwarded. */
  endpoint: Endpoint | null;
}

export function createEgress(options: EgressOptions): Egress {
  const { clock, onRefused, localAddresses = machineAddresses } = options;
  const limits = { ...egressLimits, ...options.limits };
  const open = new Map<Socket, Connection>();
  let policy = options.policy;
  let allowed = new AllowedHosts(policy, localAddresses);
  let credentials = new UpstreamCredentials(options.credentials ?? []);
  let accepted = 0;
  let overLimit = 0;
  const refusals = new Refusals(clock, onRefused);
  const upstreams = new Upstreams({
    allowed: () => allowed,
    resolve: options.resolve ?? resolveName,
    connect: options.connect ?? connectToFirst,
    clock,
    limits,
    ca: options.ca,
  });
  const context = {
    origins: new Origins(options.origins ?? []),
    allowed: () => allowed,
    credentials: () => credentials,
    upstreams,
    refusals,
    clock,
    limits,
    serveHttp,
  };

  // Never listens: `accept` gives it the connections.
  const server = nodeHttp.createServer({ maxHeaderSize: limits.headerBytes, noDelay: true });
  // The bytes of a head are limited. A limit of their count would drop some without a word.
  server.maxHeadersCount = 0;
  server.on("request", (message, reply) => {
    const connection = firstRequest(message.socket);
    if (connection === null) return;
    connection.endpoint = exchange(context, message, reply, connection.tunnelTo);
  });
  server.on("connect", (message, _, head) => {
    const { socket } = message;
    const connection = firstRequest(socket);
    if (connection === null) return;
    if (connection.tunnelTo === null)
      connection.endpoint = tunnel(context, { message, socket, head });
    else endWith(socket, 400, "A tunnel cannot lead into another.\n");
  });
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // A reply may be on its way, and a second answer would be read as a part of it.
    if (open.get(socket)?.isRead !== false) {
      socket.destroy();
      return;
    }
    const isLong = error.code === "HPE_HEADER_OVERFLOW";
    if (isLong) endWith(socket, 431, "The request head is too long.\n");
    else endWith(socket, 400, "This is not a well-formed HTTP/1.1 request.\n");
  });

  /** A second request on a connection closes it: pipelining would pass the limit of connections. */
  function firstRequest(socket: Socket): Connection | null {
    const connection = open.get(socket);
    if (connection?.isRead !== false) {
      socket.destroy();
      return null;
    }
    connection.isRead = true;
    connection.cancelHead();
    return connection;
  }

  /** Starts the time of a head, and gives the connection to the server that reads it. */
  function read(socket: Socket, tunnelTo: Endpoint | null): void {
    const late = () => endWith(socket, 408, "The request head took too long.\n");
    const cancelHead = clock.after(limits.head, late);
    open.set(socket, { cancelHead, isRead: false, tunnelTo, endpoint: tunnelTo });
    server.emit("connection", socket);
  }

  function serveHttp(socket: Socket, endpoint: Endpoint, bytes: Buffer): void {
    socket.unshift(bytes);
    read(socket, endpoint);
    socket.resume();
  }

  function accept(socket: Socket): void {
    accepted += 1;
    socket.on("error", () => undefined);
    if (open.size >= limits.connections) {
      overLimit += 1;
      endWith(socket, 503, `More than ${limits.connections} connections are open. Close some.\n`);
      return;
    }
    const cancelIdle = watchIdle(socket, clock, limits.idle);
    socket.once("close", () => {
      open.get(socket)?.cancelHead();
      cancelIdle();
      open.delete(socket);
    });
    socket.setNoDelay(true);
    // A client may end its side after the request and still wait for the reply.
    socket.allowHalfOpen = true;
    read(socket, null);
  }

  function setPolicy(next: NetworkPolicy): void {
    allowed = new AllowedHosts(next, localAddresses);
    policy = next;
    refusals.forget();
    upstreams.closeUnused();
    for (const [socket, { endpoint }] of open) {
      if (endpoint !== null && allowed.refuses(endpoint) !== null) socket.destroy();
    }
  }

  return {
    accept,
    setPolicy,
    allow: (host) => setPolicy({ ...policy, hosts: [...policy.hosts, host] }),
    setCredentials: (next) => {
      credentials = new UpstreamCredentials(next);
    },
    counters: () => ({ open: open.size, accepted, overLimit, refused: refusals.count }),
    close: () => {
      for (const socket of open.keys()) socket.destroy();
      upstreams.close();
    },
  };
}

/** Closes a connection on which no byte moved for `limit`; one timer each, however many bytes move. */
function watchIdle(socket: Socket, clock: Clock, limit: number): () => void {
  let moved = -1;
  let cancel = () => {};
  const look = () => {
    const now = socket.bytesRead + socket.bytesWritten;
    if (now === moved) {
      socket.destroy();
      return;
    }
    moved = now;
    cancel = clock.after(limit, look);
  };
  look();
  return () => cancel();
}

async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function connectToFirst(addresses: readonly string[], port: number): Socket {
  const checked = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return netConnect({
    // The name is never used: the lookup gives the checked addresses.
    host: "checked.invalid",
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_, __, found) => found(null, checked),
  });
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).map(({ address }) => address),
  );
}
