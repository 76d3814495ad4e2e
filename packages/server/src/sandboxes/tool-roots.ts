/** The folders that the tools on a person's PATH need, found by one table for places in the home. */

import { dirname, join, relative } from "node:path";
import { isAtOrIn } from "./denied.ts";
import type { Disk } from "./disk.ts";

/**
 * The beginning of a PATH entry below the home, and the folders that its tools need; `*` stands for
 * one name. An entry that no row fits is shown alone.
 */
const table: readonly (readonly [string, ...string[]])[] = [
  [".nvm/versions/node/*", ".nvm/versions/node/*"],
  [".local/share/fnm", ".local/share/fnm/node-versions"],
  [".local/state/fnm_multishells", ".local/share/fnm/node-versions"],
  [".volta", ".volta"],
  [".asdf", ".asdf"],
  [".local/share/mise", ".local/share/mise/installs", ".local/share/mise/shims"],
  [".cargo/bin", ".cargo/bin", ".rustup"],
  [".pyenv", ".pyenv"],
  [".rbenv", ".rbenv"],
  [".bun/bin", ".bun/bin", ".bun/install/global"],
  [".deno/bin", ".deno/bin"],
  ["go/bin", "go/bin"],
  [".sdkman/candidates", ".sdkman/candidates"],
  [".local/share/pnpm", ".local/share/pnpm"],
  [".npm-global", ".npm-global"],
  [".ghcup/bin", ".ghcup"],
  [".elan/bin", ".elan"],
  [".dotnet", ".dotnet"],
  [".pixi/bin", ".pixi/bin", ".pixi/envs"],
  ["miniconda3", "miniconda3"],
  ["miniforge3", "miniforge3"],
  ["anaconda3", "anaconda3"],
  [".local/bin", ".local/bin", ".local/share/pipx", ".local/share/uv", ".local/pipx"],
];

/** Folders and files below the home, in the order of the PATH; none of them is checked here. */
export function toolRoots(path: string, home: string, disk: Disk): string[] {
  const entries = path.split(":").filter((entry) => entry !== home && isAtOrIn(entry, home));
  return entries.flatMap((entry) => [
    ...rootsOf(relative(home, entry)).map((root) => join(home, root)),
    ...linkedFrom(entry, home, disk),
  ]);
}

function rootsOf(entry: string): string[] {
  const parts = entry.split("/");
  for (const [start, ...roots] of table) {
    const wanted = start.split("/");
    const fits = wanted.every((name, at) => name === parts[at] || (name === "*" && parts[at]));
    if (!fits) continue;
    const star = parts[wanted.indexOf("*")] ?? "";
    return roots.map((root) => root.replace("*", star));
  }
  return [entry];
}

/** Commands in a folder are often links to a program elsewhere in the home. */
function linkedFrom(folder: string, home: string, disk: Disk): string[] {
  const links = disk.names(folder).filter((name) => disk.kind(join(folder, name)) === "link");
  const ends = links.flatMap((name) => disk.real(join(folder, name)) ?? []);
  return ends.filter((end) => isAtOrIn(end, home)).map(unitAround);
}

/** The outermost `node_modules` around a file, because packages import each other; else the file. */
export function unitAround(file: string): string {
  let unit = file;
  for (let at = file; at !== dirname(at); at = dirname(at)) {
    if (at.endsWith("/node_modules")) unit = at;
  }
  return unit;
}
