/** The diff of a workspace against HEAD; untracked files count as new ones. */

import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { FileChangeView, WorkspaceDiffView } from "@holdfast/protocol";
import { type DiffLimits, parseDiff } from "./diff-output.ts";
import { BIG, type Git, type GitLimits, type Look, withGit } from "./git.ts";
import { namesOf } from "./names.ts";
import { unreadableRepository } from "./repository.ts";

const MS = 10_000;
/** Four megabytes are more than anyone reads, and a page can still handle them. */
const OUTPUT: GitLimits = { ms: MS, bytes: 4 * 1024 * 1024 };
const NAMES: GitLimits = { ms: MS, bytes: 256 * 1024 };
const ofMany: DiffLimits = { patch: 64 * 1024, files: 1000 };
const ofOne: DiffLimits = { patch: 1024 * 1024, files: 1000 };

/** The empty tree, to compare a repository without commits with; git knows its id. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/** Null without a repository. `path` is relative to the root; "" means the whole workspace. */
export async function readDiff(look: Look, path: string): Promise<WorkspaceDiffView | null> {
  return withGit(look, async (git) => {
    const { head } = git.repository;
    const only = path === "" ? [] : ["--", path];
    const limits = path === "" ? ofMany : ofOne;
    const untracked = await takeUntracked(git, only);
    const ask = asker(git, only);
    const changed = await ask("--name-only", "--no-renames");
    const big = await setAside(
      git,
      look.root,
      namesOf(namesIn(changed.stdout)).readable,
      untracked.names,
    );
    const { stdout, code, isCut } = await ask(...WANTED);
    if (code !== 0 && !isCut) throw unreadableRepository("git finds it damaged");
    const said = parseDiff(stdout, { isCut, untracked: untracked.names, limits });
    const listed = new Set(said.files.map((file) => file.path));
    const onlyNamed = [...big.filter((file) => !listed.has(file.path)), ...untracked.quoted];
    const files = [...said.files, ...onlyNamed];
    const isAll = !said.truncated && !untracked.isCut && big.length + untracked.quoted.length === 0;
    return { repository: true, head, files: files.slice(0, limits.files), truncated: !isAll };
  });
}

const WANTED = ["--raw", "--numstat", "--patch", "--find-renames"];
const SAFE = ["-z", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"];

function asker({ run, repository: { head, isSha256 } }: Git, only: readonly string[]) {
  const against = head ?? (isSha256 ? EMPTY_TREE_256 : EMPTY_TREE);
  return (...format: string[]) =>
    run(["git", "diff", "--relative", ...format, ...SAFE, against, ...only], OUTPUT);
}

/** Adds untracked files to our copy of the index, so that git shows their whole content as new. */
async function takeUntracked({ run, repository }: Git, only: readonly string[]) {
  const { stdout, isCut } = await run([...LIST_UNTRACKED, ...only], NAMES);
  // A nested repository ends with a slash and is left out.
  const own = namesIn(stdout).filter((name) => name.at(-1) !== 0x2f);
  const { readable: names, quoted } = namesOf(own);
  // Any object id works here, because git compares the file itself with HEAD.
  const object = "1".repeat(repository.isSha256 ? 64 : 40);
  const lines = names.map((name) => `100644 ${object} 0\t${repository.under}${name}\0`);
  await run(["git", "update-index", "-z", "--index-info"], { ...NAMES, input: lines.join("") });
  return { names: new Set(names), isCut, quoted: quoted.map((path) => named(path, "untracked")) };
}

const LIST_UNTRACKED = ["git", "ls-files", "--others", "--exclude-standard", "-z"];

/**
 * Takes out files that git cannot handle. Git fails at a pipe that replaced a file, so the file
 * counts as deleted. A big file has no line diff, but git would read all of it for its id, so it is
 * only named.
 */
async function setAside(
  { run }: Git,
  root: string,
  names: readonly string[],
  untracked: ReadonlySet<string>,
): Promise<FileChangeView[]> {
  const found = await Promise.all(names.map((name) => lstat(join(root, name)).catch(() => null)));
  const odd = names.filter((_, i) => isOdd(found[i]));
  const big = names.filter((_, i) => found[i]?.isFile() && found[i].size > BIG);
  const update = async (how: string, which: readonly string[]) => {
    if (which.length === 0) return;
    const input = which.map((name) => `${name}\0`).join("");
    await run(["git", "update-index", "-z", how, "--stdin"], { ...NAMES, input });
  };
  await update("--force-remove", [...odd, ...big.filter((name) => untracked.has(name))]);
  await update(
    "--assume-unchanged",
    big.filter((name) => !untracked.has(name)),
  );
  return big.map((path) => named(path, untracked.has(path) ? "untracked" : "modified"));
}

function named(path: string, kind: FileChangeView["kind"]): FileChangeView {
  const unread = { binary: true, added: 0, removed: 0, patch: "", truncated: true };
  return { path, oldPath: null, kind, ...unread };
}

function isOdd(found: Stats | null | undefined): boolean {
  return !!found && !found.isFile() && !found.isSymbolicLink() && !found.isDirectory();
}

/** Drops the last name when it was cut off, because half a name is another name. */
function namesIn(output: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let at = 0, end = output.indexOf(0); end >= 0; end = output.indexOf(0, at)) {
    names.push(output.subarray(at, end));
    at = end + 1;
  }
  return names;
}
