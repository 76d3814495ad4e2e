/** How a holder's process is started. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../node-flags.ts";
import { holderEnvironment } from "./config.ts";

/** After a flood a small young generation leaves 76 MB where the usual one leaves 120. */
const smallHeap = "--max-semi-space-size=1";

const isSource = import.meta.url.endsWith(".ts");
const main = new URL(isSource ? "./main.ts" : "./main.js", import.meta.url);

/** Of Node. Without its directory it waits to be told. */
export function holderArguments(...dir: readonly [string?]): string[] {
  return [
    smallHeap,
    ...nodeFlags(),
    fileURLToPath(main),
    ...dir.filter((path) => path !== undefined),
  ];
}

export function holderVariables(
  root: string,
  environment: Readonly<Record<string, string>> = holderEnvironment(),
): Record<string, string> {
  return { ...environment, ...compileCache(root) };
}

/** Stripping types costs a holder 12 MB and 30 ms, so that is done once for all of them. */
function compileCache(root: string): Record<string, string> {
  if (!isSource) return {};
  const dir = join(root, ".compiled");
  // Node would make it before a holder can say for whom.
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return { NODE_COMPILE_CACHE: dir };
}
