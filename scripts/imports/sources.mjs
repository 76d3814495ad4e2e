/** The product's sources of one package: tests and their helpers may import from anywhere. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** Pairs of path below `src` and text. */
export function sourcesOf(name) {
  const src = join(packages, name, "src");
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|(^|\/)testing\//.test(path))
    .map((path) => [path, readFileSync(join(src, path), "utf8")]);
}
