/**
 * Descriptors that came with the process without being meant for it. Node opens its own with
 * close-on-exec, so what lacks it above stdio was inherited, and would go on to every agent.
 */

import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

export function closeInherited(): void {
  if (process.platform !== "linux") return;
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    if (fd > 2 && isInherited(fd)) closeSync(fd);
  }
}

function isInherited(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
    const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor that read the list is in it, and gone.
    return false;
  }
}
