/** Hosts of earlier versions, each unpacked into its own directory, with today's dependencies. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const hostsFolder = fileURLToPath(new URL("./hosts/", import.meta.url));
const dependencies = fileURLToPath(new URL("../../node_modules/", import.meta.url));

/** The commits whose hosts were recorded. */
export const recorded: readonly string[] = readdirSync(hostsFolder)
  .filter((name) => name.endsWith(".tar.gz"))
  .map((name) => name.slice(0, -".tar.gz".length))
  .sort();

export interface EarlierHost {
  /** Its own `holdfast.mjs`, for `startHost`. */
  readonly entry: string;
  /** To be removed afterwards. */
  readonly folder: string;
}

export function unpackHost(commit: string): EarlierHost {
  const folder = mkdtempSync(join(tmpdir(), `holdfast-${commit}-`));
  execFileSync("tar", ["-xzf", join(hostsFolder, `${commit}.tar.gz`), "-C", folder]);
  linkDependencies(folder);
  return { entry: join(folder, "packages", "cli", "bin", "holdfast.mjs"), folder };
}

/** Its own packages come from its own sources, everything else from the clone. */
function linkDependencies(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@holdfast"), { recursive: true });
  const foreign = readdirSync(dependencies).filter((name) => !/^(\.|@?holdfast$)/.test(name));
  for (const name of foreign) symlinkSync(join(dependencies, name), join(modules, name));
  for (const name of ["protocol", "server", "client"]) {
    symlinkSync(join(folder, "packages", name), join(modules, "@holdfast", name));
  }
}
