/** The store's file names and their permissions. */

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol/errors";
import { explainFileErrors } from "../../../base/explain-file-errors.ts";
import { syncDirectory } from "../../../base/sync.ts";

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
  explainFileErrors(dir, "made or written", () => {
    makeMissing(resolve(dir));
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}

/** Without `recursive`: for a parent such as /proc, Node would retry forever. */
function makeMissing(dir: string): void {
  const there = statSync(dir, { throwIfNoEntry: false });
  if (there?.isDirectory()) return;
  if (there !== undefined) {
    const how = "Remove it, or choose another directory.";
    throw new HostError("data_unusable", `${dir} is a file where a directory is needed. ${how}`);
  }
  const parent = dirname(dir);
  makeMissing(parent);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process may have created the directory meanwhile.
    if (!isDirectory(dir)) throw error;
  }
  // Without this sync a power cut could lose the new directory with everything in it.
  syncDirectory(parent);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Creates an empty private file unless it exists. SQLite gives its -wal and -shm files the mode of
 * the file they belong to. An existing file is never opened, because closing it would drop this
 * process's POSIX locks on it.
 */
export function makePrivateFile(path: string): boolean {
  return explainFileErrors(path, "made or written", () => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) {
      accessSync(path, constants.R_OK | constants.W_OK);
      return false;
    }
    closeSync(openSync(path, "wx", 0o600));
    chmodSync(path, 0o600);
    syncDirectory(dirname(path));
    return true;
  });
}
