/** An HTTP server on loopback that does what a test says, down to the byte after which it hangs up. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** How it answers; `asked.length` so far tells the first request from the next. */
export type Answer = (asked: Asked, reply: Reply, n: number) => void | Promise<void>;

export interface ScriptedHost {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

export async function scriptedHost(answer: Answer): Promise<ScriptedHost> {
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
      server.closeAllConnections();
      await once(server, "close");
    },
  };
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

  /** Piece by piece; each waits until the one before is on its way. */
  async bytes(...pieces: readonly Uint8Array[]): Promise<void> {
    this.#response.writeHead(200, { "content-type": "application/octet-stream" });
    for (const piece of pieces) await this.send(piece);
    this.#response.end();
  }

  nothing(): void {
    this.#response.writeHead(204).end();
  }

  /** As a crash does it: no last byte, no goodbye. */
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
