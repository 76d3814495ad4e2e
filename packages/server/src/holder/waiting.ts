/** What a spare holder does until its host says which one it is. */

import { closeSync, openSync, readSync } from "node:fs";
import { holderFiles } from "./files.ts";

const MOST = 4096;

/** Its directory; null when the host is gone, or does not need it any more. */
export function toldDirectory(): string | null {
  const bytes = Buffer.alloc(MOST);
  let length = 0;
  while (length < MOST) {
    const read = readSync(0, bytes, length, MOST - length, null);
    if (read === 0) break;
    length += read;
  }
  const [dir = "", rest] = bytes.toString("utf8", 0, length).split("\n");
  // Without its end it may be the beginning of another path: the host died as it wrote.
  return rest === undefined || dir === "" ? null : dir;
}

/** As if it had been started there. A descriptor that is opened takes the lowest number there is. */
export function moveTo(dir: string): void {
  closeSync(0);
  openSync("/dev/null", "r");
  const { log } = holderFiles(dir);
  for (const fd of [1, 2]) {
    closeSync(fd);
    openSync(log, "a", 0o600);
  }
  process.chdir(dir);
}
