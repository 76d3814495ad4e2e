/**
 * Appends over HTTP, with one request in flight per stream; deltas that become due meanwhile go
 * into the next request. A refused append is counted and not retried.
 */

import { Agent, request } from "node:http";
import { lineOf } from "../streams/marks.ts";
import { type Due, dueDeltas, type Emission } from "../streams/pace.ts";
import { answer } from "../streams/remote.ts";

const MOST = 256;
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

interface Place {
  readonly port: number;
  readonly path: string;
}

answer({
  async emit({ place, ...emission }: Emission & { place: Place }) {
    const waiting: Due[] = [];
    let failed = 0;
    let busy: Promise<void> | null = null;
    const send = async () => {
      while (waiting.length > 0) {
        const some = waiting.splice(0, MOST);
        const lines = some.map(({ seq, text }) => lineOf(text, seq));
        if (!(await post(place, `[${lines.join(",")}]`))) failed += some.length;
      }
      busy = null;
    };
    for await (const due of dueDeltas(emission, MOST)) {
      waiting.push(...due);
      busy ??= send();
      if (emission.rate === 0) await busy;
    }
    await busy;
    return failed;
  },
  /** Appends the given lines unchanged, 100 at a time. */
  async fill({ place, lines }: { place: Place; lines: readonly string[] }) {
    for (let at = 0; at < lines.length; at += 100) {
      const sent = await post(place, `[${lines.slice(at, at + 100).join(",")}]`);
      if (!sent) throw new Error("producer: an append was refused");
    }
  },
});

function post({ port, path }: Place, body: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const options = { agent, port, path, method: "POST", host: "127.0.0.1", headers };
    const sending = request(options, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on("end", () => resolve(statusCode < 300));
    });
    sending.on("error", reject).end(body);
  });
}
