/** Reads folders and files of a workspace for display. */

import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
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
import { quoted } from "./names.ts";

/** More entries than anyone scrolls through. */
const MOST_ENTRIES = 1000;
/** Names that are read to find the first entries; a folder may hold millions. */
const MOST_NAMES = 20_000;
const MOST_TEXT = 1024 * 1024;
/** Bytes checked for a NUL, which marks a binary file; git checks as many. */
const LOOKED_AT = 8000;

export function look(root: string, path: string): Promise<WorkspaceFolderView | WorkspaceFileView> {
  return using<WorkspaceFolderView | WorkspaceFileView>(root, path, (opened) =>
    opened.kind === "folder" ? folder(root, path, opened) : file(path, opened),
  );
}

export function listTop(root: string): Promise<WorkspaceFolderView> {
  return using(root, "", (opened) => folder(root, "", opened));
}

interface RawFile {
  readonly size: number;
  readonly stream: () => Promise<ReadableStream<Uint8Array>>;
}

/** A file's raw bytes; one that was deleted or swapped is refused before the answer begins. */
export async function rawFile(root: string, path: string): Promise<RawFile> {
  const { kind, size } = await using(root, path, async (opened) => opened);
  if (kind === "folder") throw new HostError("bad_input", "This is a folder. Name a file.");
  const stream = async () => {
    const { handle } = await openInside(root, path);
    return Readable.toWeb(Readable.from(bytesOf(handle, size))) as ReadableStream<Uint8Array>;
  };
  return { size, stream };
}

async function* bytesOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
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
  const found: Found[] = [];
  let isAll = true;
  // Node's types only allow names as text.
  const open = opendir as unknown as (path: string, how: { encoding: "buffer" }) => BufferNames;
  for await (const entry of await open(place, { encoding: "buffer" })) {
    isAll = found.length < MOST_NAMES;
    if (!isAll) break;
    found.push(foundOf(entry));
  }
  found.sort(byKindAndName);
  const shown = found.slice(0, MOST_ENTRIES);
  const entries = await Promise.all(shown.map((entry) => entryOf(place, entry)));
  return {
    kind: "folder",
    path,
    entries: entries.filter((entry) => entry !== null),
    truncated: !isAll || found.length > shown.length,
  };
}

/** A path to the opened folder itself, even if its name leads elsewhere by now. */
function throughHandle({ fd }: FileHandle, real: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${fd}` : real;
}

type BufferNames = Promise<AsyncIterable<Dirent<Buffer>>>;

interface Found {
  readonly name: string;
  readonly isFolder: boolean;
  /** The name is not UTF-8: it is shown in quotes, and cannot be opened. */
  readonly isQuoted: boolean;
}

function foundOf(entry: Dirent<Buffer>): Found {
  const isQuoted = !isUtf8(entry.name);
  const name = isQuoted ? quoted(entry.name) : entry.name.toString();
  return { name, isFolder: entry.isDirectory(), isQuoted };
}

function byKindAndName(a: Found, b: Found): number {
  if (a.isFolder !== b.isFolder) return a.isFolder ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Describes an entry without opening it or following a link. Null when it was deleted. */
async function entryOf(
  place: string,
  { name, isQuoted }: Found,
): Promise<WorkspaceEntryView | null> {
  if (isQuoted) return { name, kind: "other", size: null, target: null };
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
  // Stream mode leaves out a character that is cut off at the end.
  const text = binary ? null : new TextDecoder().decode(bytes, { stream: true });
  return { kind: "file", path, size, binary, text, truncated: !binary && size > bytes.length };
}
