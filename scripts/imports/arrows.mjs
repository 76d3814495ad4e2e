/** The import arrows between the folders of a package, and the cycles among them. */

import { posix } from "node:path";

/**
 * `files` maps paths below the package's `src` to their text; a file at the top is a folder of its own.
 * `depth` is the number of folder levels that count: 1 joins `a/b` and `a/c` to `a`.
 */
export function folderArrows(files, depth = 1) {
  const arrows = new Map();
  const folderOf = (path) => path.split("/").slice(0, -1).slice(0, depth).join("/") || path;
  for (const [path, text] of files) {
    for (const [, from] of text.matchAll(/\bfrom\s+"(\.[^"]+)"/g)) {
      const to = posix.join(posix.dirname(path), from);
      const [importer, imported] = [folderOf(path), folderOf(to)];
      if (importer === imported) continue;
      const known = arrows.get(importer) ?? new Set();
      arrows.set(importer, known.add(imported));
    }
  }
  return arrows;
}

/** Folders that import each other in a circle; empty when the arrows form no cycle. */
export function cycles(arrows) {
  const reach = (from) => {
    const seen = new Set();
    const open = [...(arrows.get(from) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(arrows.get(next) ?? []));
    }
    return seen;
  };
  return [...arrows.keys()].filter((folder) => reach(folder).has(folder)).sort();
}
