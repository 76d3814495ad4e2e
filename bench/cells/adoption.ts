/**
 * A host that is killed while agents live in their holders, and the next one that takes them over:
 * how long each takes by the host's own word, and what each adds to the start.
 */

import { join } from "node:path";
import type { Event } from "@holdfast/protocol";
import type { Job, Metrics } from "../cell.ts";
import { endHolders } from "../peers/stream.ts";
import { percentile } from "../stats.ts";
import { Remote } from "../streams/remote.ts";

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { holders = 20 } = options;
  const data = join(dir, "data");
  try {
    const first = await Remote.start("servers/holdfast.ts", { data });
    const opened = { count: holders, agent: "stub" };
    const { sessions } = await first.call<{ sessions: string[] }>("open", opened);
    // Half of them in the middle of a run, half idle.
    const emission = { from: 1, count: 1_000_000, rate: 20 };
    for (let session = 0; session < holders; session += 2) {
      await first.call("emit", { session, ...emission });
    }
    await first.end("SIGKILL");

    const readyMs = await boot(data, async (second) => {
      const ms: number[] = [];
      for (const session of sessions) {
        const events = await second.call<Event[]>("events", { session });
        ms.push(...events.flatMap((event) => adoptedIn(event)));
      }
      if (ms.length !== holders) throw new Error(`adoption: ${ms.length} of ${holders} adopted`);
      adopted = Float64Array.from(ms).sort();
    });
    const emptyMs = await boot(join(dir, "empty"), async () => undefined);
    return {
      readyMs,
      emptyMs,
      perHolderMs: (readyMs - emptyMs) / holders,
      adoptP50: percentile(adopted, 0.5),
      adoptMax: percentile(adopted, 1),
    };
  } finally {
    await endHolders(data);
  }
}

let adopted = new Float64Array();

async function boot(data: string, look: (host: Remote) => Promise<void>): Promise<number> {
  const start = performance.now();
  const host = await Remote.start("servers/holdfast.ts", { data });
  const ms = performance.now() - start;
  await look(host);
  await host.end("SIGKILL");
  return ms;
}

function adoptedIn(event: Event): number[] {
  const said = event as { kind: string; rung?: string; ms?: number };
  return said.rung === "adopted" && said.ms !== undefined ? [said.ms] : [];
}
