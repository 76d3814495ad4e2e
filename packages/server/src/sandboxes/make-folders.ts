/** Makes the folders that a shape's mounts need, and gives them to the shape's user. */

import { lchownSync, lstatSync, mkdirSync } from "node:fs";
import type { Shape } from "./shape.ts";

/** The folders stand in the order of the mounts: each is made in one that was checked before it. */
export function makeFolders({ mounts, uid, gid }: Shape): void {
  for (const mount of mounts) {
    if (!("make" in mount)) continue;
    make(mount.from);
    const stat = lstatSync(mount.from);
    if (!stat.isDirectory()) throw new Error(`${mount.from} is not a folder.`);
    // Only root can give a folder away, and only under root a sandbox has a user of its own.
    if (stat.uid !== uid && process.getuid?.() === 0) lchownSync(mount.from, uid, gid);
  }
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
