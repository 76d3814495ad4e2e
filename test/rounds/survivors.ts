/**
 * Finds the remaining processes of a world by their working directory and their environment in
 * /proc, independent of the product's own records.
 */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Survivor {
  readonly pid: number;
  readonly argv: string;
}

/** Zombies are excluded: /proc shows neither for them. */
export function survivorsIn(data: string): Survivor[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => worksIn(name, data) || wasGiven(name, data))
    .map((name) => ({ pid: Number(name), argv: read(name, "cmdline").replaceAll("\0", " ") }))
    .filter((survivor) => !isSpare(survivor));
}

/** True for a spare holder: it has started no agent and ends with its host. */
function isSpare({ pid, argv }: Survivor): boolean {
  return /\/holder\/main\.[jt]s $/.test(argv) && worksIn(String(pid), "/", true);
}

/** True for a process that `/fork` of the demo agent left behind. */
export const isOrphan = ({ argv }: Survivor): boolean => argv.includes("orphan.log");

/** Waits until `holds` is true; returns the milliseconds, or null after `limit`. */
export async function eventually(holds: () => boolean, limit: number): Promise<number | null> {
  const start = performance.now();
  while (!holds()) {
    if (performance.now() - start > limit) return null;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
  }
  return performance.now() - start;
}

const LOOK_AGAIN = 20;

function worksIn(pid: string, data: string, exactly = false): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return exactly ? cwd === data : cwd.startsWith(data);
  } catch {
    return false;
  }
}

function wasGiven(pid: string, data: string): boolean {
  return read(pid, "environ").includes(data);
}

/** Reads a file of /proc; empty when the process is gone. */
function read(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
