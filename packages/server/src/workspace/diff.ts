/** What a workspace's files are against HEAD, with those that git does not know yet as new ones. */

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceDiffView } from "@holdfast/protocol";
import { parseDiff, type Room } from "./diff-output.ts";
import { type Git, type Limits, withGit } from "./git.ts";
import { unreadable } from "./repository.ts";

const MS = 10_000;
/** Four megabytes are more than anyone reads, and a page still takes them. */
const OUTPUT: Limits = { ms: MS, bytes: 4 * 1024 * 1024 };
const NAMES: Limits = { ms: MS, bytes: 256 * 1024 };
const ofMany: Room = { patch: 64 * 1024, files: 1000 };
const ofOne: Room = { patch: 1024 * 1024, files: 1000 };

/** What a repository without a commit differs from; git knows it without having it. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** Null without a repository. `path` is relative to the root, and "" for all there is. */
export async function readDiff(root: string, path: string): Promise<WorkspaceDiffView | null> {
  return withGit(root, async (git) => {
    const { head } = git.repository;
    const only = path === "" ? [] : ["--", path];
    const untracked = await takeUntracked(git, only);
    const room = path === "" ? ofMany : ofOne;
    const output = await diff(git, root, only);
    const { files, truncated } = parseDiff(output.stdout, {
      ...{ isCut: output.isCut, untracked: untracked.names, room },
    });
    return { repository: true, head, files, truncated: truncated || untracked.isCut };
  });
}

async function diff(git: Git, root: string, only: readonly string[]) {
  const against = git.repository.head ?? EMPTY_TREE;
  const ask = (...format: string[]) =>
    git.run(["git", "diff", ...format, ...SAFE, against, ...only], OUTPUT);
  const wanted = ["--raw", "--numstat", "--patch", "--find-renames"];
  const output = await ask(...wanted);
  if (output.code === 0 || output.isCut) return output;
  // It gives up at a pipe where a file was. To HEAD that file is gone.
  const changed = await ask("--name-only", "--no-renames");
  await forget(git, root, namesIn(changed.stdout));
  const again = await ask(...wanted);
  if (again.code === 0 || again.isCut) return again;
  throw unreadable("git finds it damaged");
}

const SAFE = ["-z", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"];

/** Into our copy of the index, so that they differ from HEAD by all they hold. */
async function takeUntracked({ run, repository }: Git, only: readonly string[]) {
  const { stdout, isCut } = await run([...LIST_UNTRACKED, ...only], NAMES);
  // A repository in the repository ends with a slash, and is its own.
  const names = namesIn(stdout).filter((name) => !name.endsWith("/"));
  // Any object will do: it is the file that is compared with HEAD.
  const object = "1".repeat(repository.head?.length ?? EMPTY_TREE.length);
  const input = names.map((name) => `100644 ${object} 0\t${name}\0`).join("");
  await run(["git", "update-index", "-z", "--index-info"], { ...NAMES, input });
  return { names: new Set(names), isCut };
}

const LIST_UNTRACKED = ["git", "ls-files", "--others", "--exclude-standard", "-z"];

async function forget({ run }: Git, root: string, names: readonly string[]): Promise<void> {
  const kinds = await Promise.all(names.map((name) => lstat(join(root, name)).catch(() => null)));
  const odd = names.filter((_, i) => {
    const found = kinds[i];
    return found && !found.isFile() && !found.isSymbolicLink() && !found.isDirectory();
  });
  const input = odd.map((name) => `${name}\0`).join("");
  await run(["git", "update-index", "-z", "--force-remove", "--stdin"], { ...NAMES, input });
}

/** Without the last one where it was cut off: half a name is another one. */
function namesIn(output: Buffer): string[] {
  return output
    .toString("utf8", 0, output.lastIndexOf(0) + 1)
    .split("\0")
    .slice(0, -1);
}
