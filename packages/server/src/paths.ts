/** Where paths lead to, with every symbolic link followed. */

import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

/** Whether `path` is `dir` or lies in it. */
export function isWithin(path: string, dir: string): boolean {
  const way = relative(realpathSync.native(dir), placeOf(path));
  // On Windows the way to another drive is absolute.
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Of the part of the path that exists: what is still to be made cannot be a link. */
function placeOf(path: string): string {
  let there = resolve(path);
  while (!existsSync(there)) there = dirname(there);
  return realpathSync.native(there);
}
