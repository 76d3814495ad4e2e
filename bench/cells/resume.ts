/** Resumes one session repeatedly on the same rung of the ladder. */

import { rungs } from "@holdfast/protocol";
import type { Job, Metrics } from "../cell.ts";
import { openResumePeer, type Took } from "../peers/resume.ts";
import { percentile } from "../stats.ts";

export async function run({ peer, dir, options }: Job): Promise<Metrics> {
  const { rung: nth = 3, turns = 10, resumes = 10, warmup = 2, demo = 0 } = options;
  const rung = rungs[nth - 1];
  if (rung === undefined) throw new Error(`the ladder has no rung ${nth}`);
  const agent = demo === 1 ? "demo" : rung === "injected" ? "told" : "keeper";
  const resuming = await openResumePeer({ peer, dir, agent, rung, turns });
  try {
    for (let i = 0; i < warmup; i++) await resuming.resume();
    const took: Took[] = [];
    for (let i = 0; i < resumes; i++) took.push(await resuming.resume());
    return metricsOf(took);
  } finally {
    await resuming.close();
  }
}

/** The median of each time that this peer reports, and the slowest. */
function metricsOf(took: readonly Took[]): Metrics {
  const sorted = (name: keyof Took) =>
    Float64Array.from(took.flatMap((one) => one[name] ?? [])).sort();
  const names = (["ms", "ownMs", "startMs"] as const).filter((name) => sorted(name).length > 0);
  const medians = names.map((name) => [name, percentile(sorted(name), 0.5)]);
  return { ...Object.fromEntries(medians), maxMs: percentile(sorted("ms"), 1) };
}
