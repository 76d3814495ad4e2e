/**
 * The person's git directory inside a sandbox. An agent may commit, and may not write what git runs:
 * configuration, hooks, attributes, submodules' directories.
 *
 * A file that is bound read-only in a writable folder is uncovered as soon as somebody outside
 * replaces it by a rename, as `git config` does. So a worktree gets the git directory read-only, and
 * in it only the folders that a commit writes. In place git writes its locks beside `config`, so the
 * masks there hold until the person's own git changes the configuration.
 */

import { join } from "node:path";
import type { Disk } from "./disk.ts";
import type { Mount } from "./shape.ts";

export interface GitPlaces {
  /** The repository's git directory, with all links followed. */
  readonly common: string;
  /** The work tree's own git directory inside `common`; the same as `common` in place. */
  readonly own: string;
}

const folders = ["hooks", "info", "modules"];
const files = ["config", "config.worktree"];
/** A commit in a linked work tree writes these. The stash, in `refs`, is the person's. */
const written = ["objects", "refs/heads", "refs/tags", "refs/remotes"];
/** Files of a linked work tree that lead git to other directories. */
const leading = ["commondir", "gitdir"];
/** Git obeys `commondir` in place too, and an empty one, as a bare mount point is, stops git. */
const itself = { kind: "file", text: ".\n", make: true } as const;

/**
 * The binds of the git directories, and over them the masks. The work tree has reflogs of its own,
 * because git appends to a reflog through links.
 */
export function gitMounts(
  { common, own }: GitPlaces,
  reflogs: string,
  disk: Disk,
): { binds: Mount[]; masks: Mount[] } {
  const config = (folder: string, names: readonly string[]) =>
    names.map((name) => masked(join(folder, name), disk, { kind: "file", text: "" }));
  if (own === common) {
    const covers = folders.map((name) => masked(join(common, name), disk, { kind: "folder" }));
    const leads = masked(join(common, "commondir"), disk, itself);
    return { binds: [write(common)], masks: [...config(common, files), ...covers, leads] };
  }
  const isHere = (path: string) => disk.kind(path) === "folder";
  const shown = [...written.map((name) => join(common, name)).filter(isHere), own];
  const logs = [...[join(common, "logs")].filter(isHere), join(own, "logs")];
  return {
    binds: [{ kind: "read", path: common, from: common }],
    masks: [
      ...shown.map(write),
      ...logs.map((path): Mount => ({ kind: "write", path, from: reflogs, make: true })),
      masked(join(common, "objects/info"), disk, { kind: "folder" }),
      ...config(own, ["config.worktree", ...leading]),
    ],
  };
}

const write = (path: string): Mount => ({ kind: "write", path, from: path });

/** An entry of the wrong kind is covered, because a link would show the place that it leads to. */
function masked(
  path: string,
  disk: Disk,
  empty: { kind: "folder" } | { kind: "file"; text: string; make?: true },
): Mount {
  const isAsExpected = disk.kind(path) === empty.kind;
  return isAsExpected ? { kind: "read", path, from: path } : { ...empty, path };
}
