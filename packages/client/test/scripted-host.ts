/**
 * An HTTP server on loopback that answers as a test says, down to the byte after which it
 * disconnects.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers a request; `n` counts the requests, so the first can differ from the next. */
export type Answer = (asked: Asked, reply: Reply, n: number) => void | Promise<void>;

export interface ScriptedHost {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Number of open connections. */
  open(): number;
  close(): Promise<void>;
}

/** Handles a WebSocket; without it, every upgrade is refused. */
export type Greet = (side: SocketSide, n: number) => void;

export async function scriptedHost(answer: Answer, greet?: Greet): Promise<ScriptedHost> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const url = new URL(request.url ?? "/", "http://host");
    const { method = "GET", headers } = request;
    const one = { method, path: url.pathname, query: url.searchParams, headers, body };
    asked.push(one);
    await answer(one, new Reply(response), asked.length);
  });
  const upgrades = new WebSocketServer({ noServer: true });
  let sockets = 0;
  server.on("upgrade", (request, socket, head) => {
    if (greet === undefined) socket.end("HTTP/1.1 400 No\r\nconnection: close\r\n\r\n");
    else
      upgrades.handleUpgrade(request, socket, head, (ws) => greet(new SocketSide(ws), ++sockets));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  let open = 0;
  server.on("connection", (socket) => {
    open++;
    socket.on("close", () => open--);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    open: () => open,
    async close() {
      server.close();
      for (const client of upgrades.clients) client.terminate();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export type Said = Readonly<Record<string, unknown>> & { readonly type: string };

/** The host's side of one WebSocket: the received messages in order, and methods to send. */
export class SocketSide {
  readonly said: Said[] = [];
  readonly #socket: WebSocket;
  readonly #listeners = new Set<(said: Said) => void>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      const said = JSON.parse(String(data)) as Said;
      this.said.push(said);
      for (const call of [...this.#listeners]) call(said);
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  onSaid(call: (said: Said) => void): void {
    for (const said of this.said) call(said);
    this.#listeners.add(call);
  }

  /** Resolves when `times` messages of a type have arrived. */
  async heard(type: string, times = 1): Promise<void> {
    const count = () => this.said.filter((said) => said.type === type).length;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onSaid(() => count() >= times && resolve());
    await promise;
  }

  say(...messages: readonly object[]): void {
    for (const message of messages) this.#socket.send(JSON.stringify(message));
  }

  sayText(text: string): void {
    this.#socket.send(text);
  }

  close(code: number, reason = ""): void {
    this.#socket.close(code, reason);
  }

  /** Closes without a close frame, as a crash does. */
  cut(): void {
    this.#socket.terminate();
  }

  gone(): Promise<unknown> {
    return once(this.#socket, "close");
  }
}

export class Reply {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  json(status: number, body: unknown, type = "application/json"): void {
    this.#response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
  }

  problem(status: number, code: string, detail: string): void {
    const type = "about:blank";
    const body = { type, title: code, status, code, detail, error: detail };
    this.json(status, body, "application/problem+json");
  }

  text(status: number, body: string): void {
    this.#response.writeHead(status, { "content-type": "text/html" }).end(body);
  }

  /** Sends the pieces one after another; each waits until the one before was sent. */
  async bytes(...pieces: readonly Uint8Array[]): Promise<void> {
    this.#response.writeHead(200, { "content-type": "application/octet-stream" });
    for (const piece of pieces) await this.send(piece);
    this.#response.end();
  }

  nothing(): void {
    this.#response.writeHead(204).end();
  }

  /** Closes in the middle of the response, as a crash does. */
  hangUp(): void {
    this.#response.destroy();
  }

  stream(): this {
    this.#response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    return this;
  }

  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#response.write(bytes, () => resolve());
    });
  }

  end(): void {
    this.#response.end();
  }
}

export function frame(seq: number, text = `event ${seq}`, id: number | string = seq): string {
  const event = { seq, ts: "2026-11-15T00:00:00.000Z", kind: "text.appended", text };
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function named(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
