/**
 * Opens files inside a workspace only. Its links, pipes and devices are untrusted and may change at
 * any time: so a file is opened first, and the checks then use the opened file itself.
 */

import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { HostError } from "@holdfast/protocol";

export interface Opened {
  readonly handle: FileHandle;
  readonly kind: "file" | "folder";
  readonly size: number;
}

/** Longer than any path of a real file system. */
const LONGEST_PATH = 4096;

/** The path relative to the workspace's root; "" is the root itself. */
export function relativePath(text: string): string {
  if (text.includes("\0") || text.length > LONGEST_PATH) {
    throw new HostError(
      "bad_input",
      `This path is not valid. Give one of at most 4096 characters.`,
    );
  }
  if (text.startsWith("/") || text.split("/").includes("..")) throw outside();
  const path = normalize(text).replace(/\/+$/, "");
  return path === "." ? "" : path;
}

/** The caller must close the handle. `root` must be a real path. */
export async function openInside(root: string, path: string): Promise<Opened> {
  const real = await resolved(root, path);
  const handle = await open(real, READ).catch(refuse);
  try {
    if (!liesIn(await placeOf(handle, real), root)) throw outside();
    const found = await handle.stat();
    if (found.isDirectory()) return { handle, kind: "folder", size: 0 };
    if (found.isFile()) return { handle, kind: "file", size: found.size };
    throw noFile();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a small file whole; null when it does not exist. */
export async function readInside(root: string, path: string, most: number): Promise<Buffer | null> {
  const opened = await openInside(root, path).catch(nullWhenAbsent);
  if (opened === null) return null;
  try {
    if (opened.kind !== "file") return null;
    if (opened.size > most)
      throw new HostError("too_large", `${path} is larger than ${most} bytes.`);
    return await beginningOf(opened, most);
  } finally {
    await opened.handle.close();
  }
}

/** Reads at most `most` bytes, even if the file grows meanwhile. */
export async function beginningOf({ handle, size }: Opened, most: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(size, most));
  let at = 0;
  while (at < buffer.length) {
    const { bytesRead } = await handle.read(buffer, at, buffer.length - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return buffer.subarray(0, at);
}

export function liesIn(real: string, root: string): boolean {
  return real === root || real.startsWith(root + sep);
}

function nullWhenAbsent(error: unknown): null {
  if (error instanceof HostError && error.code === "not_found") return null;
  throw error;
}

/** A pipe is opened without waiting for its other end, and a swapped-in link is not followed. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function resolved(root: string, path: string): Promise<string> {
  const real = await realpath(join(root, path)).catch(refuse);
  if (!liesIn(real, root)) throw outside();
  const found = await lstat(real).catch(refuse);
  // Opening a device can have side effects, so it is refused before.
  if (!found.isFile() && !found.isDirectory()) throw noFile();
  return real;
}

/** The real path of the open file on Linux; other systems resolve its name again. */
function placeOf({ fd }: FileHandle, real: string): Promise<string> {
  return process.platform === "linux" ? readlink(`/proc/self/fd/${fd}`) : realpath(real);
}

function refuse(error: NodeJS.ErrnoException): never {
  const { code = "" } = error;
  if (code === "ENOENT" || code === "ENOTDIR") {
    throw new HostError("not_found", "There is no such file in the workspace.");
  }
  if (code === "ENAMETOOLONG") throw new HostError("bad_input", "This file name is too long.");
  throw new HostError(
    "unreadable",
    `The host cannot read this file (${code}). Look at it in a terminal.`,
  );
}

function outside(): HostError {
  return new HostError(
    "path_outside",
    "This path leads out of the workspace. Give a path inside it.",
  );
}

function noFile(): HostError {
  return new HostError("unreadable", "This is neither a file nor a folder, so it is not opened.");
}
