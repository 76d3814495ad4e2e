/** The command that starts the bridge. */

import { fileURLToPath } from "node:url";
import { nodeFlags } from "../../base/node-flags.ts";

const isSource = import.meta.url.endsWith(".ts");
const main = new URL(isSource ? "./main.ts" : "./main.js", import.meta.url);

interface BridgeLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `sdk` is the directory of the SDK's package, `state` a directory that lasts as long as the session. */
export function claudeBridge(sdk: string, state: string): BridgeLaunch {
  return {
    command: process.execPath,
    args: [...nodeFlags(), fileURLToPath(main)],
    env: { HOLDFAST_CLAUDE_SDK: sdk, HOLDFAST_AGENT_STATE: state },
  };
}
