/** tsc does not rewrite the extension inside `new URL("./x.ts")`: a file names its neighbours by its own. */
export function entryFile(name: string): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${name}.${extension}`, import.meta.url);
}
