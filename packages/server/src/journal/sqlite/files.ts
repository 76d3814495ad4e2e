/** Where the store's files lie, who may read them, and what makes their names durable. */

import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "@holdfast/protocol/errors";

export interface JournalFiles {
  readonly dir: string;
  readonly lock: string;
  readonly journal: string;
  readonly ballast: string;
  readonly marker: string;
}

export function journalFiles(dir: string): JournalFiles {
  return {
    dir,
    lock: join(dir, "lock.db"),
    journal: join(dir, "journal.db"),
    ballast: join(dir, "ballast"),
    marker: join(dir, "journal.db.needs-repair"),
  };
}

export function makeDirectory(dir: string): void {
  const first = mkdirs(dir);
  if (first === undefined) return;
  // Each new name must reach the disk too, or a power cut takes the directory with all in it.
  for (let made = dir; ; made = dirname(made)) {
    syncDirectory(dirname(made));
    if (made === first) return;
  }
}

/** The first directory that had to be made; undefined when all were there. */
function mkdirs(dir: string): string | undefined {
  try {
    return mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HostError(
      "data_unusable",
      `The data directory ${dir} cannot be made (${reason}). Choose another one.`,
    );
  }
}

/**
 * Makes an empty private file, if there is none. SQLite gives its -wal and -shm files the mode of
 * the file they belong to. Never opens an existing one: closing it would drop this process's POSIX
 * locks on it.
 */
export function makePrivateFile(path: string): boolean {
  if (existsSync(path)) return false;
  closeSync(openSync(path, "wx", 0o600));
  chmodSync(path, 0o600);
  syncDirectory(dirname(path));
  return true;
}

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
