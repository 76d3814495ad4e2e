/** Attaches repeatedly at the event before the head, each time on a new connection. */

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answer } from "../streams/remote.ts";
import type { Target } from "./stream.ts";

answer({
  async attach({ target, times }: { target: Target; times: number }) {
    const url = `http://127.0.0.1:${target.port}${target.path.replace(/\/stream$/, "")}`;
    const took: number[] = [];
    for (let i = 0; i < times; i++) {
      const session = await fetch(url, { headers: target.headers });
      const said = (await session.json()) as { session: { seq?: number; lastSeq?: number } };
      const head = said.session.seq ?? said.session.lastSeq ?? 1;
      took.push(await once(target, Math.max(0, head - 1)));
      // A random delay spreads the attaches over the agent's rhythm.
      await sleep(Math.random() * 10);
    }
    return took;
  },
});

function once({ port, path, headers }: Target, after: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const options = {
      port,
      host: "127.0.0.1",
      path: `${path}?after=${after}`,
      headers,
      agent: false,
    };
    const asking = request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`attach answers ${response.statusCode}`));
      response.on("data", (chunk: Buffer) => {
        if (!chunk.includes(`id: ${after + 1}\n`)) return;
        resolve(performance.now() - start);
        asking.destroy();
      });
      response.on("error", () => undefined);
    });
    asking.on("error", reject).end();
  });
}
