/** Small files that only their owner can read, replaced whole: whoever reads finds the old or the new one. */

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
import { HostError } from "@holdfast/protocol";
import { syncDirectory } from "../journal/sqlite/files.ts";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Its text, or null when there is none. Copying and restoring loosen modes; it is closed again here. */
export function readPrivate(path: string): string | null {
  return explained(path, () => {
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

/** Durable when it returns: the bytes before the name, and the name before the answer. */
export function replacePrivate(path: string, text: string): void {
  const temporary = `${path}.new`;
  explained(path, () => {
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

/** What a file system refuses has an answer; a disk that fails has none, and is left as it is. */
function explained<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === "EIO") throw error;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw new HostError("journal_full", `The disk under ${path} is full. Free some space.`);
    }
    throw new HostError(
      "data_unusable",
      `${path} cannot be read or written (${message}). Change its permissions, or choose another directory.`,
    );
  }
}
