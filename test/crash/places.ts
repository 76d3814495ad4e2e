/** Where the suites work: folders of their own, gone at the end however it comes. */

import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { umountAll } from "./mounts.ts";

const GIGABYTE = 2 ** 30;

/** A kill leaves the page cache alone, so memory is as good as a disk there, and much faster. */
function scratch(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize > 2 * GIGABYTE) return "/dev/shm";
  } catch {
    // No shared memory here: the ordinary folder for temporary files will do.
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
