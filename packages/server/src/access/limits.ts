/**
 * What a client may cost before it is known: time and bytes to say what it wants, and time to take
 * its answer. A stream that is being answered is bound by none of it.
 */

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HostError } from "@holdfast/protocol";
import { type ConnectionLimits, connectionLimits, limitConnections } from "./connections.ts";
import { problemBytes } from "./problem.ts";

export interface ServerLimits {
  /** From the connection to the last header. */
  readonly headers: number;
  /** From the connection to the last byte of the body: a whole one at 100 KB/s. */
  readonly request: number;
  /** Between two requests; browsers keep connections for the next click. */
  readonly idle: number;
  /** Without a byte taken of an answer that is complete. */
  readonly answer: number;
  /** Of all headers: far above a browser's, far below what would hurt. */
  readonly headerBytes: number;
  readonly connections: ConnectionLimits;
}

const SECOND = 1000;

export const serverLimits: ServerLimits = {
  headers: 5 * SECOND,
  request: 12 * SECOND,
  idle: 10 * SECOND,
  answer: 10 * SECOND,
  headerBytes: 16 * 1024,
  connections: connectionLimits,
};

/** For `createServer`, which takes these at the beginning only. */
export function serverOptions(limits: ServerLimits = serverLimits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.idle,
    // Node looks for slow clients only this often.
    connectionsCheckingInterval: SECOND,
    requireHostHeader: true,
    insecureHTTPParser: false,
  };
}

export function limitServer(server: Server, limits: ServerLimits = serverLimits): void {
  // Past a count Node drops headers without a word, maybe the Origin: their bytes bound them.
  server.maxHeadersCount = 0;
  limitConnections(server, limits.connections);
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener("request", ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const open = answers.get(socket) ?? new Set();
    answers.set(socket, open.add(answer));
    answer.once("close", () => open.delete(answer));
    answer.once("prefinish", () => socket.setTimeout(limits.answer));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const begun = [...(answers.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    // Into the middle of another answer nothing may be written.
    if (begun || !socket.writable || error.code === "ECONNRESET") socket.destroy();
    else socket.end(problemBytes(misunderstood(error)), () => socket.destroy());
  });
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
  return new HostError("bad_input", "This is not a request that HTTP/1.1 allows.");
}
