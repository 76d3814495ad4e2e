/** Folders and files of a workspace, to look at. */

import { type FileHandle, lstat, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  HostError,
  type WorkspaceEntryView,
  type WorkspaceFileView,
  type WorkspaceFolderView,
} from "@holdfast/protocol";
import { beginningOf, type Opened, openInside } from "./inside.ts";

/** More than anyone scrolls through. */
const MOST_ENTRIES = 1000;
/** Names that are looked at to find the first of them; a folder may hold millions. */
const MOST_NAMES = 20_000;
const MOST_TEXT = 1024 * 1024;
/** Where git, too, looks for a byte that no text has. */
const LOOKED_AT = 8000;

export function look(root: string, path: string): Promise<WorkspaceFolderView | WorkspaceFileView> {
  return using<WorkspaceFolderView | WorkspaceFileView>(root, path, (opened) =>
    opened.kind === "folder" ? folder(root, path, opened) : file(path, opened),
  );
}

export function listTop(root: string): Promise<WorkspaceFolderView> {
  return using(root, "", (opened) => folder(root, "", opened));
}

export interface RawFile {
  readonly size: number;
  readonly stream: () => ReadableStream<Uint8Array>;
}

/** Its bytes as they are; it is opened again when they are really wanted. */
export async function rawFile(root: string, path: string): Promise<RawFile> {
  const { kind, size } = await using(root, path, async (opened) => opened);
  if (kind === "folder") throw new HostError("bad_input", "A folder has no bytes. Ask for a file.");
  const stream = () => Readable.toWeb(Readable.from(bytesOf(root, path, size)));
  return { size, stream: stream as RawFile["stream"] };
}

async function* bytesOf(root: string, path: string, size: number): AsyncGenerator<Uint8Array> {
  const { handle } = await openInside(root, path);
  try {
    if (size > 0) yield* handle.createReadStream({ end: size - 1, autoClose: false });
  } finally {
    await handle.close();
  }
}

async function using<T>(
  root: string,
  path: string,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await openInside(root, path);
  try {
    return await use(opened);
  } finally {
    await opened.handle.close();
  }
}

async function folder(
  root: string,
  path: string,
  { handle }: Opened,
): Promise<WorkspaceFolderView> {
  const place = throughHandle(handle, join(root, path));
  const found: { name: string; isFolder: boolean }[] = [];
  let isAll = true;
  for await (const entry of await opendir(place)) {
    isAll = found.length < MOST_NAMES;
    if (!isAll) break;
    found.push({ name: entry.name, isFolder: entry.isDirectory() });
  }
  found.sort(byKindAndName);
  const shown = found.slice(0, MOST_ENTRIES);
  const entries = await Promise.all(shown.map(({ name }) => entryOf(place, name)));
  return {
    ...{ kind: "folder", path, entries: entries.filter((entry) => entry !== null) },
    truncated: !isAll || found.length > shown.length,
  };
}

/** What was opened, even if its name leads elsewhere by now. */
function throughHandle({ fd }: FileHandle, real: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${fd}` : real;
}

function byKindAndName(
  a: { name: string; isFolder: boolean },
  b: { name: string; isFolder: boolean },
): number {
  if (a.isFolder !== b.isFolder) return a.isFolder ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Looked at from outside: nothing is opened, and no link followed. Null when it is gone. */
async function entryOf(place: string, name: string): Promise<WorkspaceEntryView | null> {
  const found = await lstat(join(place, name)).catch(() => null);
  if (found === null) return null;
  if (found.isFile()) return { name, kind: "file", size: found.size, target: null };
  if (found.isDirectory()) return { name, kind: "folder", size: null, target: null };
  if (!found.isSymbolicLink()) return { name, kind: "other", size: null, target: null };
  const target = await readlink(join(place, name)).catch(() => null);
  return { name, kind: "link", size: null, target };
}

async function file(path: string, opened: Opened): Promise<WorkspaceFileView> {
  const { size } = opened;
  const bytes = await beginningOf(opened, MOST_TEXT);
  const binary = bytes.subarray(0, LOOKED_AT).includes(0);
  // In a stream's way: a letter that is cut off at the end is left out.
  const text = binary ? null : new TextDecoder().decode(bytes, { stream: true });
  return { kind: "file", path, size, binary, text, truncated: !binary && size > bytes.length };
}
