/** @durable-streams/server unmodified, with its file store or in memory. */

import { importPeer } from "../peers/packages.ts";
import { answer, jobOf } from "../streams/remote.ts";

interface Server {
  start(): Promise<string>;
}

interface Module {
  readonly DurableStreamTestServer: new (options: object) => Server;
}

const { dir, store } = jobOf<{ dir: string; store: "file" | "memory" }>();
const { DurableStreamTestServer } = await importPeer<Module>("@durable-streams/server");
const kept = store === "file" ? { dataDir: dir } : {};
const url = await new DurableStreamTestServer({ port: 0, host: "127.0.0.1", ...kept }).start();

answer({
  async open({ count }: { count: number }) {
    const paths = Array.from({ length: count }, (_, i) => `/v1/stream/bench-${i}`);
    for (const path of paths) {
      const headers = { "content-type": "application/json" };
      const made = await fetch(`${url}${path}`, { method: "PUT", headers });
      if (!made.ok) throw new Error(`durable-streams: PUT answers ${made.status}`);
    }
    return { port: Number(new URL(url).port), paths, headers: {} };
  },
});
