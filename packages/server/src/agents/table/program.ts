/** The program of an agent, as found on this machine. */

import { arch, platform } from "node:process";
import { fileURLToPath } from "node:url";
import { compileCache } from "../../base/compiled.ts";
import { nodeFlags } from "../../base/node-flags.ts";
import { version as ourVersion } from "../../base/version.ts";
import { claudeBridge } from "../claude/launch.ts";
import { broughtAlong, type Finder, isJavaScript, isReadable } from "./find.ts";
import type { AgentRow, Way } from "./row.ts";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly version: string | null;
}

/** Finds the agent's program. It searches on every call, so a new installation is found at once. */
export function programOf({ ways }: Pick<AgentRow, "ways">, finder: Finder): Program | null {
  for (const way of ways) {
    const found = follow(way, finder);
    if (found !== null) return found;
  }
  return null;
}

function follow(way: Way, finder: Finder): Program | null {
  if ("ours" in way) return ownProgram(way, finder);
  if (!("npm" in way)) {
    const command = finder.executable(way.bin);
    return command === null ? null : { command, args: way.args, env: {}, version: null };
  }
  const found = finder.package(way.npm, "bin" in way ? way.bin : undefined);
  const command =
    found === null
      ? null
      : "bin" in way
        ? found.bins[way.bin]
        : broughtAlong(found, here(way.native));
  // A half-installed package counts as missing, so that it cannot block other agents.
  if (found === null || !command || !isReadable(command)) return null;
  const { version } = found;
  return isJavaScript(command)
    ? { command: process.execPath, args: [command, ...way.args], env: {}, version }
    : { command, args: way.args, env: {}, version };
}

function ownProgram(way: Extract<Way, { ours: string }>, finder: Finder): Program | null {
  if (!("npm" in way)) {
    const args = [...nodeFlags(), fileURLToPath(demoMain)];
    return { command: process.execPath, args, env: compileCache, version: ourVersion };
  }
  const driven = finder.package(way.npm);
  if (driven === null) return null;
  return { ...claudeBridge(driven.dir, "{state}"), version: driven.version };
}

const here = (path: string) => path.replace("{platform}", platform).replace("{arch}", arch);

const isSource = import.meta.url.endsWith(".ts");
const demoMain = new URL(isSource ? "../demo/main.ts" : "../demo/main.js", import.meta.url);
