/**
 * Time from opening a stream to the event at the head, for a session whose agent is producing
 * output.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Metrics } from "../cell.ts";
import type { Target } from "../clients/stream.ts";
import { percentile } from "../stats.ts";
import { Remote } from "../streams/remote.ts";

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { attaches = 200, rate = 200 } = options;
  const host = await Remote.start("servers/holdfast.ts", { data: join(dir, "data") });
  const client = await Remote.start("clients/attach.ts");
  try {
    type Opened = { port: number; paths: string[]; headers: Record<string, string> };
    const { port, paths, headers } = await host.call<Opened>("open", {
      count: 1,
      agent: "emitter",
    });
    await host.call("emit", { session: 0, from: 1, count: 1_000_000, rate, kind: "event" });
    await sleep(1000);
    const path = (paths[0] ?? "").replace(/\?.*/, "");
    const target: Target = { port, path, headers };
    await client.call("attach", { target, times: 50 });
    const sorted = Float64Array.from(
      await client.call<number[]>("attach", { target, times: attaches }),
    ).sort();
    return { attachP50: percentile(sorted, 0.5), attachP99: percentile(sorted, 0.99) };
  } finally {
    await client.end();
    await host.end("SIGKILL");
  }
}
