/**
 * Kills a host while agents live in their holders, and starts the next one. Measures the time of
 * each adoption as the host reports it, its share of the start, and how soon a client's resume is
 * answered.
 */

import { join } from "node:path";
import { createClient } from "@holdfast/client";
import type { Event } from "@holdfast/protocol";
import type { Job, Metrics } from "../cell.ts";
import { endHolders } from "../peers/stream.ts";
import { percentile } from "../stats.ts";
import { Remote } from "../streams/remote.ts";

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { holders = 20, turns = 0 } = options;
  const data = join(dir, "data");
  try {
    const first = await Remote.start("servers/holdfast.ts", { data });
    // An agent that must have a history needs memory.
    const opened = turns === 0 ? { agent: "stub" } : { agent: "keeper", turns };
    const { sessions } = await first.call<{ sessions: string[] }>("open", {
      ...opened,
      count: holders,
    });
    // Half of the agents are in the middle of a run, half are idle.
    const emission = { from: 1, count: 1_000_000, rate: 20 };
    for (let session = 0; session < holders; session += 2) {
      await first.call("emit", { session, ...emission });
    }
    await first.end("SIGKILL");

    const full = await boot(data, async (second) => ({
      answered: await resumeAll(second, sessions),
      adopted: await adoptions(second, sessions),
    }));
    const empty = await boot(join(dir, "empty"), async () => null);
    const { answered, adopted } = full.seen;
    return {
      readyMs: full.ms,
      emptyMs: empty.ms,
      perHolderMs: (full.ms - empty.ms) / holders,
      adoptP50: percentile(adopted, 0.5),
      adoptMax: percentile(adopted, 1),
      answerP50: percentile(answered, 0.5),
    };
  } finally {
    await endHolders(data);
  }
}

async function boot<T>(
  data: string,
  look: (host: Remote) => Promise<T>,
): Promise<{ ms: number; seen: T }> {
  const start = performance.now();
  const host = await Remote.start("servers/holdfast.ts", { data });
  const ms = performance.now() - start;
  const seen = await look(host);
  await host.end("SIGKILL");
  return { ms, seen };
}

/**
 * Times a resume of every session. The host is ready only after all adoptions, so each session is
 * already up.
 */
async function resumeAll(host: Remote, sessions: readonly string[]): Promise<Float64Array> {
  const client = createClient(await host.call<{ url: string; token: string }>("ready"));
  const took: number[] = [];
  for (const sessionId of sessions) {
    const start = performance.now();
    const { resume } = await client.call("resumeSession", { params: { sessionId } });
    took.push(performance.now() - start);
    if (resume !== null) throw new Error(`adoption: ${sessionId} came up again (${resume.rung})`);
  }
  return Float64Array.from(took).sort();
}

async function adoptions(host: Remote, sessions: readonly string[]): Promise<Float64Array> {
  const ms: number[] = [];
  for (const session of sessions) {
    const events = await host.call<Event[]>("events", { session });
    ms.push(...events.flatMap(adoptedIn));
  }
  const { length } = sessions;
  if (ms.length !== length) throw new Error(`adoption: ${ms.length} of ${length} adopted`);
  return Float64Array.from(ms).sort();
}

function adoptedIn(event: Event): number[] {
  return event.kind === "session.resumed" && event.rung === "adopted" ? [event.ms] : [];
}
