/** Makes the folders and files that a shape's mounts need before the start. */

import { lchownSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import type { Shape } from "./shape.ts";

/** They stand in the order of the mounts: each is made in a folder that was checked before it. */
export function makeMountPoints({ mounts, uid, gid }: Shape): void {
  for (const mount of mounts) {
    if (!("make" in mount)) continue;
    if (mount.kind === "file") {
      unlessThere(() => writeFileSync(mount.path, mount.text, { flag: "wx" }));
      continue;
    }
    unlessThere(() => mkdirSync(mount.from, { mode: 0o700 }));
    const stat = lstatSync(mount.from);
    if (!stat.isDirectory()) throw new Error(`${mount.from} is not a folder.`);
    // Only root can give a folder away, and only under root a sandbox has a user of its own.
    if (stat.uid !== uid && process.getuid?.() === 0) lchownSync(mount.from, uid, gid);
  }
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
