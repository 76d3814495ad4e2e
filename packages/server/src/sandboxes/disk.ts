/** The part of a disk that a shape is made from, as an argument, so that making a shape is pure. */

import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";

type EntryKind = "file" | "folder" | "link" | null;

export interface Disk {
  /** The kind of the entry itself, without following it; null when there is none. */
  readonly kind: (path: string) => EntryKind;
  /** The kind of the entry that a path leads to. */
  readonly kindBehind: (path: string) => EntryKind;
  /** The path with all links followed; null when it leads nowhere. */
  readonly real: (path: string) => string | null;
  readonly target: (link: string) => string;
  readonly names: (folder: string) => readonly string[];
}

export const realDisk: Disk = {
  kind: (path) => kindOf(lstatSync, path),
  kindBehind: (path) => kindOf(statSync, path),
  real: (path) => orNull(() => realpathSync.native(path)),
  target: (link) => readlinkSync(link),
  names: (folder) => orNull(() => readdirSync(folder)) ?? [],
};

function kindOf(stat: typeof statSync, path: string): EntryKind {
  const found = orNull(() => stat(path));
  if (found === null || found === undefined) return null;
  if (found.isSymbolicLink()) return "link";
  return found.isDirectory() ? "folder" : "file";
}

/** Null also where the path may not be read: it cannot be shown inside either. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
