/** The waiting phase of a spare holder, until its host sends its directory. */

import { closeSync, openSync, readSync } from "node:fs";
import { holderFiles } from "./directory/files.ts";

const MOST = 4096;

/** The holder's directory; null when the host is gone or does not need the spare. */
export function awaitDirectory(): string | null {
  const bytes = Buffer.alloc(MOST);
  let length = 0;
  while (length < MOST) {
    const read = readSync(0, bytes, length, MOST - length, null);
    if (read === 0) break;
    length += read;
  }
  const [dir = "", rest] = bytes.toString("utf8", 0, length).split("\n");
  // Without a line end the path may be incomplete, because the host died while writing it.
  return rest === undefined || dir === "" ? null : dir;
}

/** Moves the process there as if started there. An opened descriptor gets the lowest number. */
export function enterDirectory(dir: string): void {
  closeSync(0);
  openSync("/dev/null", "r");
  const { log } = holderFiles(dir);
  for (const fd of [1, 2]) {
    closeSync(fd);
    openSync(log, "a", 0o600);
  }
  process.chdir(dir);
}
