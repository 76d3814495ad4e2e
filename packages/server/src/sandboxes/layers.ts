/** The order of a shape's mounts, and the folders that must not be moved away under them. */

import { dirname, join, relative } from "node:path";
import { isAtOrIn } from "./denied.ts";
import type { Disk } from "./disk.ts";
import type { Mount, ShapeRefusal } from "./shape.ts";

type Bind = Extract<Mount, { from: string }>;

/** Parents before children, one mount per path, and none for what a parent shows already. */
export function inOrder(mounts: readonly Mount[]): Mount[] {
  // Of two mounts at one path the later one counts, and writing counts more than reading.
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    if (byPath.get(mount.path)?.kind !== "write") byPath.set(mount.path, mount);
  }
  const sorted = [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path));
  const kept: Mount[] = [];
  for (const mount of sorted) {
    const around = nearest(kept, mount.path);
    if (around === undefined || !isShownBy(mount, around)) kept.push(mount);
  }
  return kept;
}

/** True when the bind around shows the same place under the same string already. */
function isShownBy(mount: Mount, around: Mount): boolean {
  if (!isBind(around) || !isBind(mount)) return false;
  const isSame = join(around.from, relative(around.path, mount.path)) === mount.from;
  return isSame && (around.kind === "write" || mount.kind === "read");
}

/**
 * Adds a bind for every folder between a writable folder and a mount in it. A mount point cannot be
 * renamed or removed from inside; a plain folder above it can, and a link in its place would lead
 * the mounts of the next start to any place outside.
 */
export function pinned(mounts: readonly Mount[], disk: Disk): readonly Mount[] | ShapeRefusal {
  const kept: Mount[] = [];
  for (const mount of mounts) {
    const around = nearest(kept, mount.path);
    if (around?.kind === "write" && around.path !== mount.path) {
      for (const pin of pinsBetween(around, mount.path)) {
        if (!isPlain(pin.from, disk)) return planted(pin.from);
        kept.push(pin);
      }
      const place = join(around.from, relative(around.path, mount.path));
      if (disk.kind(place) === "link") return planted(place);
    }
    kept.push(mount);
  }
  return kept;
}

function pinsBetween(around: Bind, path: string): Bind[] {
  const pins: Bind[] = [];
  for (let at = dirname(path); at !== around.path; at = dirname(at)) {
    const from = join(around.from, relative(around.path, at));
    pins.unshift({ kind: "write", path: at, from, make: true });
  }
  return pins;
}

const isPlain = (path: string, disk: Disk) => [null, "folder"].includes(disk.kind(path));

export function planted(path: string): ShapeRefusal {
  const message = `${path} is a link or a file where a sandbox needs a folder of its own. Remove it and start again.`;
  return { refused: "link_planted", path, message };
}

/** The innermost mount around a path; the latest of those at one path. */
function nearest(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts
    .filter((mount) => isAtOrIn(path, mount.path))
    .reduce<Mount | undefined>(
      (best, mount) => (best === undefined || depth(mount.path) >= depth(best.path) ? mount : best),
      undefined,
    );
}

const isBind = (mount: Mount): mount is Bind => "from" in mount;

const depth = (path: string) => path.split("/").filter(Boolean).length;
