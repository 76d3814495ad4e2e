/** Finds repository and HEAD by reading files, because git would obey the configuration first. */

import { lstat, opendir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";
import { liesIn, readInside } from "./inside.ts";

export interface Repository {
  /** The work tree's top folder, and the path from there to the workspace: "", or "sub/". */
  readonly top: string;
  readonly under: string;
  /** The folder that contains the whole repository. */
  readonly bounds: string;
  /** Paths within `bounds`: the work tree's own files, and those that all worktrees share. */
  readonly own: string;
  readonly shared: string;
  readonly branch: string | null;
  readonly head: string | null;
  readonly isSha256: boolean;
}

type Folders = Pick<Repository, "bounds" | "own" | "shared">;

/** Null when neither the root nor a parent up to `upTo` holds a repository. */
export async function findRepository(
  root: string,
  upTo: string | null,
): Promise<Repository | null> {
  const top = await topOf(root, upTo);
  const folders = top === null ? null : await foldersOf(top);
  if (top === null || folders === null) return null;
  const text = await read(folders, join(folders.own, "HEAD"), SMALL);
  if (text === null) return null;
  await refuseForeignObjects(folders);
  const name = symbolic(text);
  const branch = name?.startsWith(BRANCHES) ? name.slice(BRANCHES.length) : name;
  const head = await commitOf(folders, text);
  const isSha256 = head === null ? await saysSha256(folders) : head.length === 64;
  const under = root === top ? "" : `${relative(top, root)}/`;
  return { ...folders, top, under, branch, head, isSha256 };
}

/** The nearest `.git` decides, even when the host refuses it: its files belong to no outer repository. */
async function topOf(root: string, upTo: string | null): Promise<string | null> {
  for (let dir = root; ; dir = dirname(dir)) {
    if ((await lstat(join(dir, ".git")).catch(() => null)) !== null) return dir;
    if (upTo === null || dir === upTo || dir === dirname(dir)) return null;
  }
}

/** Reads only this setting: without a commit, nothing else tells the length of ids. */
async function saysSha256(folders: Folders): Promise<boolean> {
  const text = (await read(folders, join(folders.shared, "config"), CONFIG)) ?? "";
  return /^\s*\[extensions\][^[]*^\s*objectformat\s*=\s*sha256\s*$/im.test(text);
}

const BRANCHES = "refs/heads/";
/** Size limit of a ref or a symbolic ref. */
const SMALL = 4096;
const CONFIG = 1024 * 1024;
/** Enough for a hundred thousand refs. */
const PACKED = 16 * 1024 * 1024;
/** Git follows as many levels of symbolic refs. */
const DEPTH = 5;

async function foldersOf(root: string): Promise<Folders | null> {
  const found = await lstat(join(root, ".git")).catch(() => null);
  if (found?.isDirectory()) return { bounds: root, own: ".git", shared: ".git" };
  return found?.isFile() ? linked(root) : null;
}

/**
 * A work tree of a repository elsewhere. Its `.git` file alone proves nothing, so it counts only if
 * that repository lists this work tree, which requires write access there.
 */
async function linked(root: string): Promise<Folders | null> {
  const text = (await readInside(root, ".git", SMALL))?.toString() ?? "";
  const to = /^gitdir: (.+)$/m.exec(text)?.[1];
  const own = to && (await realpath(resolve(root, to)).catch(() => null));
  if (!own) return null;
  const name = join(basename(dirname(own)), basename(own));
  if (dirname(name) !== "worktrees") return null;
  const bounds = dirname(dirname(own));
  const back = (await readInside(bounds, join(name, "gitdir"), SMALL))?.toString().trim() ?? "";
  const known = await realpath(resolve(own, back)).catch(() => null);
  return known === join(root, ".git") ? { bounds, own: name, shared: "." } : null;
}

async function commitOf(folders: Folders, text: string, depth = 0): Promise<string | null> {
  const id = text.trim();
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return id;
  const name = symbolic(text);
  if (name === null || depth === DEPTH) throw unreadableRepository("its HEAD points to nothing");
  const loose = await read(folders, join(folders.shared, name), SMALL);
  if (loose !== null) return commitOf(folders, loose, depth + 1);
  const packed = (await read(folders, join(folders.shared, "packed-refs"), PACKED)) ?? "";
  const line = packed.split("\n").find((one) => one.endsWith(` ${name}`) && !one.startsWith("#"));
  return line === undefined ? null : commitOf(folders, line.slice(0, line.indexOf(" ")), DEPTH);
}

/** The ref that a symbolic ref names; names that could leave the repository are refused. */
function symbolic(text: string): string | null {
  const name = /^ref: (refs\/.+)$/m.exec(text)?.[1];
  if (name === undefined) return null;
  if (name.split("/").some((word) => word === "" || word.startsWith("."))) {
    throw unreadableRepository("its refs are not kept as files");
  }
  return name;
}

async function read({ bounds }: Folders, path: string, most: number): Promise<string | null> {
  return (await readInside(bounds, path, most))?.toString() ?? null;
}

/**
 * Refuses object folders that lead outside, because git reads objects by id alone and must not read
 * another repository's. A link that is swapped in after this check is followed: the attacker would
 * need to write here at that moment, and to know the id of a commit over there.
 */
async function refuseForeignObjects(folders: Folders): Promise<void> {
  const { bounds, shared } = folders;
  if (bounds.includes("\n")) throw unreadableRepository("its path has a line break in it");
  const objects = await realpath(join(bounds, shared, "objects")).catch(() => null);
  if (objects !== null && !liesIn(objects, bounds))
    throw unreadableRepository("its objects are outside the repository");
  if (objects !== null) await refuseLinks(objects, { left: MOST_OBJECTS });
  const alternates = (await read(folders, join(shared, ALTERNATES), SMALL)) ?? "";
  if (alternates.trim() !== "") throw unreadableRepository("it uses objects of another repository");
}

/** Git itself packs loose objects from seven thousand on. */
const MOST_OBJECTS = 200_000;

async function refuseLinks(folder: string, entries: { left: number }): Promise<void> {
  for await (const entry of await opendir(folder).catch(noneWhenGone)) {
    if (entry.isSymbolicLink()) throw unreadableRepository("there are links among its objects");
    if (entries.left-- === 0)
      throw unreadableRepository("it has too many loose objects (git gc packs them)");
    if (entry.isDirectory()) await refuseLinks(join(folder, entry.name), entries);
  }
}

/** Git may pack objects during the scan. */
function noneWhenGone({ code }: NodeJS.ErrnoException): [] {
  if (code === "ENOENT") return [];
  throw unreadableRepository(`its objects cannot be listed (${code})`);
}

const ALTERNATES = "objects/info/alternates";

export function unreadableRepository(why: string): HostError {
  return new HostError(
    "repository_unreadable",
    `The host does not read this workspace's repository: ${why}. Look at it with git in a terminal.`,
  );
}
