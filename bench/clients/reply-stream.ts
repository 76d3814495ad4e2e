/**
 * A model on loopback that streams a reply, and the client that reads it, in one process with one
 * clock. The forwarder between them is the parent, which is measured.
 */

import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface Ask {
  readonly port: number;
  readonly path: string;
  readonly events: number;
  /** Events per second; 0 for as many as the client takes. */
  readonly rate: number;
}

export interface Told {
  readonly delaysMs: readonly number[];
}

let asked: Ask | undefined;

const model = createServer((_, reply) => {
  void stream(reply, asked as Ask);
});
model.listen(0, "127.0.0.1");
await once(model, "listening");
process.on("message", (ask: Ask) => {
  asked = ask;
  void read(ask).then((delaysMs) => process.send?.({ delaysMs } satisfies Told));
});
process.send?.((model.address() as AddressInfo).port);

async function stream(reply: ServerResponse, { events, rate }: Ask): Promise<void> {
  reply.writeHead(200, { "Content-Type": "text/event-stream" });
  const start = performance.now();
  for (let sent = 0; sent < events; sent++) {
    const due = rate === 0 ? 0 : start + (sent * 1000) / rate;
    while (performance.now() < due) await sleep(1);
    const event = `data: ${performance.now()} `.padEnd(178, "x");
    if (!reply.write(`${event}\n\n`)) await once(reply, "drain");
  }
  reply.end();
}

async function read({ port, path, events }: Ask): Promise<number[]> {
  const request = get({ host: "127.0.0.1", port, path });
  const [reply] = await once(request, "response");
  const delays: number[] = [];
  let rest = "";
  for await (const chunk of reply) {
    const lines = (rest + chunk).split("\n\n");
    rest = lines.pop() ?? "";
    const now = performance.now();
    for (const line of lines) delays.push(now - Number(line.split(" ")[1]));
  }
  if (delays.length !== events) throw new Error(`${delays.length} of ${events} events arrived.`);
  return delays;
}
