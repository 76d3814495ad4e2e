/** Syncs that make file contents and new file names survive a power cut. */

import { closeSync, fsyncSync, openSync } from "node:fs";

export function syncDirectory(dir: string): void {
  syncFile(dir);
}

export function syncFile(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
