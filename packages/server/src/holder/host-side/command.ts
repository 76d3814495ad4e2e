/** The command line and environment of a holder's process. */

import { fileURLToPath } from "node:url";
import { compileCache } from "../../base/compiled.ts";
import { nodeFlags } from "../../base/node-flags.ts";
import { holderEnvironment } from "../processes/config.ts";

/** After a flood, a small young generation leaves 76 MB where the default leaves 120. */
const smallHeap = "--max-semi-space-size=1";

const isSource = import.meta.url.endsWith(".ts");
const main = new URL(isSource ? "../main.ts" : "../main.js", import.meta.url);

/** Arguments for Node. Without a directory the holder starts as a spare. */
export function holderArguments(...dir: readonly [string?]): string[] {
  return [
    smallHeap,
    ...nodeFlags(),
    fileURLToPath(main),
    ...dir.filter((path) => path !== undefined),
  ];
}

export function holderVariables(
  environment: Readonly<Record<string, string>> = holderEnvironment(),
): Record<string, string> {
  return { ...environment, ...compileCache };
}
