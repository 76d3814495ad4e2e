/**
 * Boots `holdfast serve` on the store of a killed host. Measures the time from spawn to its ready
 * line, which follows recovery and listening, and its peak memory.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Job, Metrics } from "../cell.ts";

const holdfast = fileURLToPath(new URL("../../packages/cli/bin/holdfast.mjs", import.meta.url));

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { sessions = 100_000 } = options;
  const flags = ["serve", "--json", "--port", "0", "--data", dir];
  const start = performance.now();
  const host = spawn(process.execPath, ["--conditions=holdfast-source", holdfast, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(host.stdout, "data")) as [Buffer];
  const readyMs = performance.now() - start;
  const maxRssMb = peakMemory(host.pid ?? 0);
  const { url } = JSON.parse(line.toString()) as { url: string };
  if (!(await fetch(`${url}/health`)).ok) throw new Error("boot: ready, but not healthy");
  host.kill("SIGTERM");
  await once(host, "exit");
  await check(dir, sessions);
  return { readyMs, maxRssMb };
}

/** Peak memory of all threads in MB, from the kernel; Linux only. */
function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function check(dir: string, sessions: number): Promise<void> {
  const { openStore } = await import("../store.ts");
  const journal = await openStore(dir);
  const open = await journal.opened();
  const interrupted = await journal.list({ status: "interrupted_startup", limit: 1 });
  await journal.close();
  if (open.length > 0) throw new Error(`boot: ${open.length} of ${sessions} sessions still run`);
  if (interrupted.sessions.length === 0) throw new Error("boot: no run was interrupted");
}
