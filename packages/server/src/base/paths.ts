/** Resolves paths with all symbolic links followed. */

import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

/** True when `path` is `dir` or lies in it. */
export function isWithin(path: string, dir: string): boolean {
  const way = relative(realpathSync.native(dir), placeOf(path));
  // On Windows the relative path to another drive is absolute.
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of the existing part of a path; the missing part cannot contain links. */
function placeOf(path: string): string {
  let there = resolve(path);
  while (!existsSync(there)) there = dirname(there);
  return realpathSync.native(there);
}
