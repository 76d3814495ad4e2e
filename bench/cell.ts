/**
 * A cell: one run of one peer under one workload. It runs in its own process and directory, so that
 * no cell inherits compiled code, heap, page cache or files from another.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export type Metrics = Readonly<Record<string, number>>;

/** The input of a cell's module. */
export interface Job {
  readonly peer: string;
  /** An empty directory, or a copy of the seed. */
  readonly dir: string;
  readonly options: Readonly<Record<string, number>>;
}

export interface CellModule {
  run(job: Job): Promise<Metrics>;
}

const entry = new URL("./child.ts", import.meta.url);
/** Timeout, far above the longest cell: seeding a million events on a slow disk. */
const MOST_MS = 300_000;

/** Runs `module` in a new process and returns its metrics. */
export async function runCell(module: string, job: Job): Promise<Metrics> {
  const child = fork(entry, [module, JSON.stringify(job)], {
    execArgv: ["--conditions=holdfast-source"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  try {
    return await metricsOf(child, module, job.peer);
  } finally {
    clearTimeout(timer);
  }
}

async function metricsOf(child: ChildProcess, module: string, peer: string): Promise<Metrics> {
  let metrics: Metrics | undefined;
  child.on("message", (message) => {
    metrics = message as Metrics;
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  // A seed that imitates a crash kills itself after it has reported.
  if (metrics !== undefined && (code === 0 || signal === "SIGKILL")) return metrics;
  throw new Error(`${module} of ${peer} ended with ${code ?? signal} before it had a result.`);
}
