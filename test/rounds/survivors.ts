/**
 * Who still runs of a world, told by where they work and by what they were started with, as the
 * system itself has it: none of the product's own records is asked.
 */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Survivor {
  readonly pid: number;
  readonly argv: string;
}

/** Of a process that has ended and was not collected yet the system shows neither, so it is none. */
export function survivorsIn(data: string): Survivor[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => worksIn(name, data) || wasGiven(name, data))
    .map((name) => ({ pid: Number(name), argv: read(name, "cmdline").replaceAll("\0", " ") }))
    .filter((survivor) => !isSpare(survivor));
}

/** A holder that waits for a launch has started nothing, and goes with its host. */
function isSpare({ pid, argv }: Survivor): boolean {
  return /\/holder\/main\.[jt]s $/.test(argv) && worksIn(String(pid), "/", true);
}

/** What `/fork` of the demo agent leaves behind. */
export const isOrphan = ({ argv }: Survivor): boolean => argv.includes("orphan.log");

/** How many milliseconds until this holds; null when it does not in time. */
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

/** Processes come and go while one looks. */
function read(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
