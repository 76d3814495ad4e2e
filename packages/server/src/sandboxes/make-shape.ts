/** Makes a shape from facts. Every path that a person or a repository names is checked first. */

import { join, resolve } from "node:path";
import { deniedBy, deniedPaths, isAtOrIn } from "./denied.ts";
import type { Disk } from "./disk.ts";
import { type GitPlaces, gitMounts } from "./git-masks.ts";
import { inOrder, pinned, planted } from "./layers.ts";
import type { Mount, Shape, ShapeFacts, ShapeRefusal } from "./shape.ts";
import { ownFiles, systemMounts } from "./system-paths.ts";
import { toolRoots, unitAround } from "./tool-roots.ts";

export function shapeOf(facts: ShapeFacts, disk: Disk): Shape | ShapeRefusal {
  const { workspace, home, privateHome, tmp, network, limits, environment, user } = facts;
  const wanted = personsMounts(facts, disk);
  if ("refused" in wanted) return wanted;
  const git = workspace.git === null ? noGit : gitOf(facts, workspace.git, disk);
  const ordered = inOrder([
    ...systemMounts(disk, network),
    ...ownFiles({ user: user.name, uid: user.uid, gid: user.gid, home }),
    { kind: "write", path: home, from: privateHome, make: true },
    { kind: "write", path: "/tmp", from: tmp, make: true },
    ...wanted.mounts,
    ...git.binds,
  ]);
  const mounts = pinned([...ordered, ...git.masks], disk);
  if ("refused" in mounts) return mounts;
  const { uid, gid } = user;
  return { mounts, home, cwd: workspace.path, environment, network, limits, uid, gid };
}

const noGit = { binds: [], masks: [] };

/** The `.git` of a linked work tree is a file that leads git to its directory. */
function gitOf(facts: ShapeFacts, git: GitPlaces, disk: Disk): ReturnType<typeof gitMounts> {
  const { binds, masks } = gitMounts(git, facts.reflogs, disk);
  if (git.own === git.common) return { binds, masks };
  const file = join(facts.workspace.path, ".git");
  return { binds, masks: [...masks, { kind: "read", path: file, from: file }] };
}

/** The mounts that come from a person's machine and wishes, each checked against the deny table. */
function personsMounts(facts: ShapeFacts, disk: Disk): { readonly mounts: Mount[] } | ShapeRefusal {
  const { workspace, home, path, programs, data } = facts;
  const denied = deniedPaths(home, data, disk);
  const expand = (entry: string) => resolve(entry.replace(/^~(?=\/|$)/, home));
  const needed = programs.map(expand);
  const read = [...needed, ...facts.read.map(expand)];
  // A workspace that the host made lies in the data directory; one of the person's must not.
  const isOurs = workspace.kind !== "in-place" && isAtOrIn(workspace.path, data);
  if (isOurs && disk.kind(workspace.path) === "link") return planted(workspace.path);
  const write = [...(isOurs ? [] : [workspace.path]), ...facts.write.map(expand)];
  const git = workspace.git === null ? [] : [workspace.git.common];
  for (const one of [...read, ...write, ...git]) {
    if (disk.kindBehind(one) === null) return missing(one);
    const shown = deniedBy(one, denied, disk);
    if (shown !== null) return refusal(one, shown);
  }
  const tools = toolRoots(path, home, disk).filter(
    (root) => disk.kindBehind(root) !== null && deniedBy(root, denied, disk) === null,
  );
  const units = needed.flatMap((program) => {
    const isFolder = disk.kindBehind(program) === "folder";
    return isFolder ? [program] : [program, unitAround(disk.real(program) ?? program)];
  });
  const shown = [...tools, ...units, ...facts.read.map(expand)];
  return {
    mounts: [
      ...shown.flatMap((one) => bothEnds("read", one, disk)),
      ...[workspace.path, ...facts.write.map(expand)].flatMap((one) =>
        bothEnds("write", one, disk),
      ),
    ],
  };
}

/** A link's own place and the place it leads to, so that both strings work inside. */
function bothEnds(kind: "read" | "write", path: string, disk: Disk): Mount[] {
  const real = disk.real(path) ?? path;
  return [...new Set([path, real])].map((end) => ({ kind, path: end, from: real }));
}

function refusal(path: string, shown: string): ShapeRefusal {
  const how =
    path === shown
      ? `${path} is`
      : `${path} ${isAtOrIn(path, shown) ? "lies in" : "would show"} ${shown}, which is`;
  const message = `${how} never shown in a sandbox. Name a folder without it.`;
  return { refused: "path_denied", path, message };
}

function missing(path: string): ShapeRefusal {
  const message = `${path} is not there. Install it again, or take it out of the settings.`;
  return { refused: "path_missing", path, message };
}
