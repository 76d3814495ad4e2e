/** Working directories of the suites, removed at every exit. */

import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { umountAll } from "./mounts.ts";

const GIGABYTE = 2 ** 30;

/**
 * Prefers memory: a kill leaves the page cache intact, so memory is as good as a disk and faster.
 */
function scratch(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize > 2 * GIGABYTE) return "/dev/shm";
  } catch {
    // Without shared memory the ordinary temporary directory is used.
  }
  return tmpdir();
}

const root = mkdtempSync(join(scratch(), "holdfast-crash-"));
let made = 0;

export function newFolder(name: string): string {
  const path = join(root, `${name}-${++made}`);
  mkdirSync(path, { recursive: true });
  return path;
}

export function dropFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

export function cleanUp(): void {
  umountAll();
  rmSync(root, { recursive: true, force: true });
}
