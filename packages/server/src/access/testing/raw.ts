/** Listens on a port, and sends requests byte by byte, which client libraries do not allow. */

import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import type { Guarded } from "../guard/middleware.ts";
import { limitServer, type ServerLimits, serverLimits, serverOptions } from "../limits/limits.ts";

export interface Listening {
  readonly server: Server;
  readonly port: number;
  close(): Promise<void>;
}

export async function listen(
  app: Pick<Hono<Guarded>, "fetch">,
  limits: ServerLimits = serverLimits,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    // Test files share a process.
    overrideGlobalObjects: false,
    serverOptions: serverOptions(limits),
  }) as Server;
  limitServer(server, limits);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Answer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends the bytes and waits until the host closes the connection; send `Connection: close` for that. */
export function raw(port: number, bytes: string | Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.setTimeout(20_000, () => socket.destroy());
    socket.on("data", (chunk) => chunks.push(chunk));
    // A refusal may arrive while bytes are still being sent; the bytes read before the error count.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(parse(Buffer.concat(chunks).toString("latin1"))));
    socket.write(bytes);
  });
}

export function parse(text: string): Answer {
  const end = text.indexOf("\r\n\r\n");
  const head = end === -1 ? text : text.slice(0, end);
  const [, status = "0"] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  return { status: Number(status), head, body: end === -1 ? "" : text.slice(end + 4) };
}

export interface Message {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly version?: string;
}

export function bytesOf({ method, target, headers, body, version = "1.1" }: Message): string {
  const all = [...headers, ["Connection", "close"]];
  if (body !== undefined) all.push(["Content-Length", String(Buffer.byteLength(body))]);
  const lines = all.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/${version}`, ...lines, "", body ?? ""].join("\r\n");
}
