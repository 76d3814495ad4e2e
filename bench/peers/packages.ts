/**
 * Third-party packages to compare with. They are installed on demand in `bench/peers/node_modules`,
 * which git ignores, and never in the project's own.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const versions: Readonly<Record<string, string>> = {
  "@durable-streams/server": "0.3.7",
  "sandbox-agent": "0.4.2",
};
const packageOf: Readonly<Record<string, string>> = {
  "ds-file": "@durable-streams/server",
  "ds-memory": "@durable-streams/server",
  "sandbox-agent": "sandbox-agent",
};

/** Installs missing packages; returns the peers that cannot be measured here, with the reason. */
export function preparePeers(
  peers: ReadonlySet<string>,
  say: (line: string) => void,
): Map<string, string> {
  const skipped = new Map<string, string>();
  const needed = new Set([...peers].flatMap((peer) => packageOf[peer] ?? []));
  for (const name of needed) {
    const reason = isThere(name) ? null : install(name, say);
    if (reason === null) continue;
    for (const peer of peers) if (packageOf[peer] === name) skipped.set(peer, reason);
  }
  return skipped;
}

export const isForeign = (peer: string): boolean => packageOf[peer] !== undefined;

export const peerFolder = join(folder, "node_modules");

export async function importPeer<T>(name: string): Promise<T> {
  // Resolved from this file, so from the `node_modules` beside it.
  return (await import(name)) as T;
}

function isThere(name: string): boolean {
  const file = join(peerFolder, name, "package.json");
  if (!existsSync(file)) return false;
  return JSON.parse(readFileSync(file, "utf8")).version === versions[name];
}

function install(name: string, say: (line: string) => void): string | null {
  const spec = `${name}@${versions[name]}`;
  say(`installing ${spec} into bench/peers/node_modules, beside nothing of the project`);
  const kept = Object.entries(versions)
    .filter(([other]) => other !== name && isThere(other))
    .map(([other, version]) => `${other}@${version}`);
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
  const args = ["install", ...flags, "--workspaces=false", "--prefix", folder, spec, ...kept];
  const done = spawnSync("npm", args, { cwd: folder, encoding: "utf8", timeout: 300_000 });
  if (done.status === 0 && isThere(name)) return null;
  return `${spec} could not be installed: ${(done.stderr ?? "").trim().split("\n").at(-1)}`;
}
