/**
 * Records what a workspace looks like, so that a later comparison can tell whether files changed:
 * the checked-out commit, and size and time of every file that differs from it. Without a
 * repository it covers every file, up to a limit.
 */

import { createHash } from "node:crypto";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceMark } from "@holdfast/protocol";
import { type Look, withGit } from "./git.ts";
import { unreadableRepository } from "./repository.ts";

const LIMITS = { ms: 5_000, bytes: 1024 * 1024 };

/** Limit for a folder without a repository, so that a question does not scan a whole home directory. */
const MOST_ENTRIES = 5_000;

/** Files named in the mark; its digest covers all. */
const MOST_NAMED = 100;

/** Null when the workspace is too large to compare. */
export async function markOf(look: Look, most = MOST_ENTRIES): Promise<WorkspaceMark | null> {
  const inGit = await withGit(look, async ({ repository, run }) => {
    const { stdout, code, isCut } = await run(status, LIMITS);
    if (code !== 0 && !isCut) throw unreadableRepository("git finds it damaged");
    if (isCut) return { head: repository.head, files: null };
    return { head: repository.head, files: await marksOf(repository.top, pathsIn(stdout)) };
  });
  if (inGit !== null) return inGit.files === null ? null : mark(inGit.head, inGit.files);
  const found = { paths: [], left: most };
  return (await list(look.root, "", found))
    ? mark(null, await marksOf(look.root, found.paths))
    : null;
}

const status = [
  ...["git", "status", "--porcelain", "-z", "--untracked-files=all"],
  ...["--no-renames", "--ignore-submodules=all", "--", "."],
];

/** Parses `XY path`, each ended by a zero byte. */
const pathsIn = (stdout: Buffer): string[] =>
  stdout
    .toString()
    .split("\0")
    .flatMap((entry) => (entry.length > 3 ? [entry.slice(3)] : []));

type Marked = [path: string, mark: string];

async function marksOf(top: string, paths: readonly string[]): Promise<Marked[]> {
  const marks: Marked[] = [];
  for (const path of paths) {
    const found = await lstat(join(top, path)).catch(() => null);
    marks.push([path, found === null ? "gone" : `${found.size} ${found.mtimeMs}`]);
  }
  return marks;
}

function mark(head: string | null, files: Marked[]): WorkspaceMark {
  const sorted = files.sort(([one], [other]) => (one < other ? -1 : 1));
  const digest = createHash("sha256")
    .update(JSON.stringify([head, sorted]))
    .digest("hex");
  const named = sorted.filter(([path]) => path.length <= LONGEST_NAMED).slice(0, MOST_NAMED);
  return { digest, head, files: named };
}

const LONGEST_NAMED = 500;

interface Listed {
  readonly paths: string[];
  /** Remaining files and folders; folders count too, which limits a tree of empty ones. */
  left: number;
}

/** False when the limit was reached. */
async function list(root: string, folder: string, found: Listed): Promise<boolean> {
  for await (const entry of await opendir(join(root, folder))) {
    const path = join(folder, entry.name);
    if (found.left-- === 0) return false;
    if (!entry.isDirectory()) found.paths.push(path);
    else if (!(await list(root, path, found))) return false;
  }
  return true;
}
