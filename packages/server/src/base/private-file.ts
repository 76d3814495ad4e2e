/** Small files that only their owner can read, replaced atomically. */

import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { explainFileErrors } from "./explain-file-errors.ts";
import { syncDirectory } from "./sync.ts";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** The file's text, or null when missing; tightens a mode that a restore loosened. */
export function readPrivate(path: string): string | null {
  return explainFileErrors(path, "read or written", () => {
    const file = openExisting(path);
    if (file === null) return null;
    try {
      if ((fstatSync(file).mode & OTHERS) !== 0) fchmodSync(file, OWNER_ONLY);
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  });
}

/** Durable when it returns: the bytes are synced before the rename, and the directory after it. */
export function replacePrivate(path: string, text: string): void {
  const temporary = `${path}.new`;
  explainFileErrors(path, "read or written", () => {
    rmSync(temporary, { force: true });
    try {
      writeSynced(temporary, text);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    syncDirectory(dirname(path));
  });
}

function openExisting(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, "wx", OWNER_ONLY);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
