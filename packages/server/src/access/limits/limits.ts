/** Limits for a client before it is authenticated; a running stream is exempt. */

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HostError } from "@holdfast/protocol";
import { problemBytes } from "../problem.ts";
import { type ConnectionLimits, connectionLimits, limitConnections } from "./connections.ts";

export interface ServerLimits {
  /** Milliseconds from the connection to the last header. */
  readonly headers: number;
  /** Milliseconds from the connection to the body's last byte: the largest body at 100 KB/s. */
  readonly request: number;
  /** Milliseconds between two requests; browsers keep connections for the next click. */
  readonly idle: number;
  /** Milliseconds without progress while the client reads a complete answer. */
  readonly answer: number;
  /** Milliseconds in which a client that is refused may stop sending and read its answer. */
  readonly refused: number;
  /** Bytes of all headers: far above a browser's, far below a harmful size. */
  readonly headerBytes: number;
  readonly connections: ConnectionLimits;
}

const SECOND = 1000;

export const serverLimits: ServerLimits = {
  headers: 5 * SECOND,
  request: 12 * SECOND,
  idle: 10 * SECOND,
  answer: 10 * SECOND,
  refused: SECOND,
  headerBytes: 16 * 1024,
  connections: connectionLimits,
};

/** For `createServer`, which accepts these only at creation. */
export function serverOptions(limits: ServerLimits = serverLimits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.idle,
    // Node checks for slow clients at this interval.
    connectionsCheckingInterval: SECOND,
    requireHostHeader: true,
    insecureHTTPParser: false,
  };
}

export function limitServer(server: Server, limits: ServerLimits = serverLimits): void {
  // A header count limit would make Node drop headers silently, perhaps the Origin; `headerBytes`
  // limits them instead.
  server.maxHeadersCount = 0;
  limitConnections(server, limits.connections);
  const ending = new Set<Socket>();
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener("request", (request: IncomingMessage, answer: ServerResponse) => {
    const { socket } = request;
    const open = answers.get(socket) ?? new Set();
    answers.set(socket, open.add(answer));
    answer.once("close", () => open.delete(answer));
    answer.once("prefinish", () => {
      socket.setTimeout(limits.answer);
      if (!request.complete) endGently(request, limits.refused, ending);
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const begun = [...(answers.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    // An error must not be written into the middle of another answer.
    if (begun || !socket.writable || error.code === "ECONNRESET") socket.destroy();
    else socket.end(problemBytes(misunderstood(error)), () => socket.destroy());
  });
}

/** Connections that may end gently in the time for one, so that strangers cannot hold many. */
const MOST_ENDING = 16;

/**
 * Makes Node end this connection in two steps if the request is still arriving: the answer and the
 * end are sent at once, and the connection is closed when its time is over. A connection closed
 * while bytes arrive is reset, and the client loses an answer it has not read. The bytes stay in the
 * system's buffers, because reading them would cost memory.
 */
function endGently(request: IncomingMessage, ms: number, ending: Set<Socket>): void {
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete || ending.size >= MOST_ENDING) return destroySoon();
    socket.destroySoon = () => undefined;
    ending.add(socket);
    // A connection that was closed earlier keeps its place, so that the number per second is limited.
    setTimeout(() => {
      ending.delete(socket);
      socket.destroy();
    }, ms).unref();
    socket.end();
    socket.removeAllListeners("data");
    // The request's own cleanup resumes the socket.
    socket.on("data", () => socket.pause());
    socket.pause();
  };
}

function misunderstood({ code }: NodeJS.ErrnoException): HostError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HostError(
      "headers_too_large",
      "The headers are too long. Send fewer or shorter ones.",
    );
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new HostError("request_timeout", "The request took too long to arrive. Send it again.");
  }
  return new HostError("bad_input", "This is not a valid HTTP/1.1 request.");
}
