/** CPU time of other processes from the kernel (Linux only), in ticks of 10 ms. */

import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** CPU seconds of all threads of these processes, including ended threads. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpu(pid), 0);
}

function cpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may contain anything, so the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function rssMb(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return sum + Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }, 0);
}
