/** The machine of a measurement: enough to compare runs, without host names or paths. */

import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly fileSystem: string;
  readonly node: string;
}

export function describeMachine(dir: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    fileSystem: fileSystemOf(dir),
    node: process.version,
  };
}

/**
 * Load average of the last minute; above the number of cores, other processes distort the figures.
 */
export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

/** File system type of the innermost mount that contains `dir`. */
function fileSystemOf(dir: string): string {
  const path = `${realpathSync(dir)}/`;
  let best = { length: 0, kind: "unknown" };
  for (const line of mounts()) {
    const [, mount = "", kind = "unknown"] = line.split(" ");
    const prefix = mount.endsWith("/") ? mount : `${mount}/`;
    if (path.startsWith(prefix) && prefix.length >= best.length) {
      best = { length: prefix.length, kind };
    }
  }
  return best.kind;
}

function mounts(): string[] {
  try {
    return readFileSync("/proc/self/mounts", "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
