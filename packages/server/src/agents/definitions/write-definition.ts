/**
 * Writes a definition's files into a session's home. The agent owns the home and may have left
 * hostile links there: a link at the place of one of our files or directories is removed, never
 * followed.
 */

import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import type { TreeFile } from "./tree.ts";

export async function writeDefinition(files: readonly TreeFile[], home: string): Promise<void> {
  await makeRealDirectories(dirname(home), basename(home));
  for (const { path, executable, content } of files) {
    const parts = path.split("/");
    if (parts.some((part) => part === "" || part === "." || part === "..")) continue;
    await makeRealDirectories(home, dirname(parts.join(sep)));
    const file = join(home, ...parts);
    await rm(file, { recursive: true, force: true });
    await writeFile(file, content, { mode: executable ? 0o700 : 0o600, flag: "wx" });
  }
}

async function makeRealDirectories(home: string, way: string): Promise<void> {
  let at = home;
  for (const part of way === "." ? [] : way.split(sep)) {
    at = join(at, part);
    const found = await lstat(at).catch(() => null);
    if (found?.isDirectory() === true) continue;
    await rm(at, { force: true });
    await mkdir(at, { mode: 0o700 });
  }
}
