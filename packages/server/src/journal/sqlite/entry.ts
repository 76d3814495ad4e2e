/**
 * Resolves a neighbour's file with this file's own extension, because tsc leaves the extension
 * inside `new URL("./x.ts")` as it is.
 */
export function entryFile(name: string): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${name}.${extension}`, import.meta.url);
}
