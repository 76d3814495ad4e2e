/**
 * Closes inherited descriptors. Node opens its own with close-on-exec, so a descriptor above stdio
 * without that flag was inherited, and every agent would inherit it in turn.
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
    // The descriptor of the listing itself is in the list, and closed by now.
    return false;
  }
}
