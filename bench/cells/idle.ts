/** Memory of a host with a thousand idle sessions that had one turn each. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Metrics } from "../cell.ts";
import { Remote } from "../streams/remote.ts";

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { sessions = 1000, warmup = 100 } = options;
  const host = await Remote.start("servers/holdfast.ts", { data: join(dir, "data") });
  try {
    await turns(host, 0, warmup);
    const before = await host.call<number>("memory");
    await turns(host, warmup, sessions);
    const after = await host.call<number>("memory");
    return { beforeMb: before, afterMb: after, moreMb: after - before };
  } finally {
    await host.end();
  }
}

async function turns(host: Remote, from: number, count: number): Promise<void> {
  await host.call("open", { count, agent: "emitter" });
  const emission = { from: 1, count: 20, rate: 0 };
  for (let session = from; session < from + count; session++) {
    await host.call("emit", { session, ...emission });
  }
  // Waits until the last groups are written and their memory is free.
  await sleep(1500);
}
