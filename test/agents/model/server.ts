/**
 * A fake model on loopback that speaks the wire formats of all agents and records their requests.
 */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { ModelRecord } from "./record.ts";
import { responses } from "./responses.ts";
import { isSide, replyTo, type Said } from "./script.ts";
import type { Frame, Wire } from "./wire.ts";

const wires: readonly Wire[] = [anthropic, chat, responses, gemini];

export interface ModelOptions {
  /** A free port by default; a restarted model uses its old one. */
  readonly port?: number;
  /** Pause before each word of a slow reply. */
  readonly paceMs?: number;
  readonly newId?: () => string;
}

export interface Model {
  readonly port: number;
  readonly record: ModelRecord;
  /** The URL for an agent, without `/v1`. */
  urlFor(place: string): string;
  /** Closes the server and cuts open replies. */
  close(): Promise<void>;
}

export async function startModel(options: ModelOptions = {}): Promise<Model> {
  const { port: wanted = 0, paceMs = 200, newId = randomUUID } = options;
  const record = new ModelRecord();
  const server = createServer((request, response) => {
    answer(request, response, { record, paceMs, newId }).catch((error: Error) => {
      // An unreadable request is a finding about the agent, so it is kept.
      record.strays.push(`${request.method} ${request.url}: ${error.message}`);
      response.destroy();
    });
  });
  server.listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    record,
    urlFor: (place) => `http://127.0.0.1:${port}/${place}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Serving = Required<Omit<ModelOptions, "port">> & { readonly record: ModelRecord };

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { record, paceMs, newId }: Serving,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const [, place = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  const wire = wires.find((known) => request.method === "POST" && known.matches(path));
  if (wire === undefined) {
    record.strays.push(`${request.method} ${pathname}`);
    response.writeHead(404).end();
    return;
  }
  const asked = wire.read(await json(request));
  const { conversation } = asked;
  record.add({ place, wire: wire.name, isSide: isSide(asked), conversation });
  const reply = replyTo(asked);
  if (reply.kind === "says") return stream(response, reply, wire.frames(reply, newId), paceMs);
  const { status, body } = wire.failure(reply);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function stream(
  response: ServerResponse,
  { pace }: Said,
  frames: readonly Frame[],
  paceMs: number,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const last = pace === "hangs" ? frames.findLastIndex(({ isPiece }) => isPiece) : frames.length;
  for (const { event, data, isPiece } of frames.slice(0, last + 1)) {
    if (pace === "slow" && isPiece) await pause(paceMs);
    if (response.closed) return;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  }
  // A hanging reply stays open until one of the two sides closes.
  if (pace !== "hangs") response.end();
}
