/** A host whose sessions are followed over real sockets, with a manual clock. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { HostError, type SessionId } from "@holdfast/protocol";
import type { Caller } from "../../access/credentials/caller.ts";
import { type TestHost, testHost } from "../../testing/test-host.ts";
import type { StreamLimits } from "../limits.ts";
import { serveSockets } from "../socket/socket.ts";
import { serveSse } from "../sse/sse-stream.ts";
import { Streams } from "../streams.ts";

export interface TestStreams {
  readonly host: TestHost;
  readonly streams: Streams;
  readonly server: Server;
  readonly port: number;
  readonly errors: unknown[];
  /** The server's sockets of all connections, oldest first. */
  readonly sockets: ReadonlySet<Socket>;
  /** The URL `GET /sse?session=…` with further query parameters. */
  sse(session: SessionId, query?: Record<string, string | number>): string;
  /** Closes without waiting for readers. */
  close(): Promise<void>;
}

export interface TestStreamsOptions {
  readonly host?: TestHost;
  readonly limits?: Partial<StreamLimits>;
  readonly port?: number;
}

/** The caller's id is the secret itself; `other-…` belongs to another tenant. */
export function callerOf(secret: string): Caller | null {
  if (secret === "wrong") return null;
  const tenant = secret.startsWith("other") ? "other" : "local";
  return { id: secret, kind: "device", name: secret, tenant, scopes: new Set(["read", "write"]) };
}

export async function testStreams(options: TestStreamsOptions = {}): Promise<TestStreams> {
  const host = options.host ?? (await testHost());
  const { sessions } = host;
  const errors: unknown[] = [];
  const limits = { retry: 1, ...options.limits };
  const streams = new Streams({ ...host, limits, onError: (_, error) => errors.push(error) });
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    answer(streams, request, response).catch((error: unknown) => refuse(response, error));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  serveSockets(streams, {
    server,
    admits: ({ headers }) =>
      headers.origin === "http://evil.test" ? new HostError("forbidden", "Wrong origin.") : null,
    authenticate: (secret) => callerOf(secret) ?? new HostError("unauthorized", "Wrong."),
    answer: async () => {
      throw new HostError("bad_input", "This host only streams.");
    },
    async authorise(caller, session) {
      const { tenant } = await sessions.state(session);
      if (tenant !== caller.tenant) throw new HostError("session_not_found", "Session not found");
    },
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host,
    streams,
    server,
    port,
    errors,
    sockets,
    sse(session, query = {}) {
      const asked = Object.entries({ session, ...query }).map(([k, v]) => `${k}=${v}`);
      return `http://127.0.0.1:${port}/sse?${asked.join("&")}`;
    },
    async close() {
      server.close();
      const closed = streams.close();
      server.closeAllConnections();
      await new Promise(setImmediate);
      host.clock.advance(streams.limits.closing);
      await closed;
      await host.close();
    },
  };
}

async function answer(streams: Streams, request: IncomingMessage, response: ServerResponse) {
  const query = new URL(request.url ?? "/", "http://localhost").searchParams;
  const after = query.get("after");
  const run = query.get("run");
  const instead = await serveSse(streams, {
    session: query.get("session") as SessionId,
    after: after === null ? undefined : Number(after),
    ...(run === null ? {} : { run }),
    caller: callerOf(query.get("as") ?? "ann") as Caller,
    request,
    response,
  });
  if (instead !== null) response.writeHead(instead.status, instead.headers).end();
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, code } = error instanceof HostError ? error : { status: 500, code: "internal" };
  response.writeHead(status, { "content-type": "application/problem+json" });
  response.end(JSON.stringify({ status, code }));
}
