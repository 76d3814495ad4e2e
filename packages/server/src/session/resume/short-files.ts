/**
 * Files that hold less than the agent wrote into them. After a power cut a file may be there and empty:
 * the agent said that it wrote it, and the disk never got it.
 */

import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Message, Transcript } from "@holdfast/protocol";
import { liesIn } from "../../workspace/inside.ts";

/** The last text that the agent put into a file, as its edit says. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
}

export interface ShortFile {
  readonly path: string;
  /** Null where the file is gone. */
  readonly bytes: number | null;
  /** The bytes that the last edit put into it. */
  readonly wrote: number;
}

const MOST_FILES = 50;

/** By the latest run that an agent took, and the one that it continues. */
export function writtenIn({ messages, runs }: Pick<Transcript, "messages" | "runs">): Written[] {
  const last = runs.findLast(({ taken }) => taken.length > 0);
  if (last === undefined) return [];
  const written = new Map<string, Written>();
  for (const { role, runId, contentParts } of messages) {
    if (role !== "assistant" || (runId !== last.id && runId !== last.continues)) continue;
    for (const edit of contentParts.flatMap(editIn)) written.set(edit.path, edit);
  }
  return [...written.values()].filter(({ bytes }) => bytes > 0).slice(-MOST_FILES);
}

function editIn(part: Message["contentParts"][number]): Written[] {
  if (part.type !== "other" || part.part.type !== "diff") return [];
  const { path, newText } = part.part;
  if (typeof path !== "string" || typeof newText !== "string") return [];
  return [{ path, bytes: Buffer.byteLength(newText) }];
}

/** An edit may be a part of its file, so only a file that is smaller than the edit itself is named. */
export async function shortFiles(root: string, written: readonly Written[]): Promise<ShortFile[]> {
  const short: ShortFile[] = [];
  for (const { path, bytes: wrote } of written) {
    const file = resolve(root, path);
    if (!liesIn(file, root)) continue;
    const found = await lstat(file).catch(() => null);
    const bytes = found === null ? null : found.size;
    if (bytes === null || bytes < wrote) short.push({ path, bytes, wrote });
  }
  return short;
}

export function shortFileWords({ path, bytes, wrote }: ShortFile): string {
  const now = bytes === null ? "is gone" : bytes === 0 ? "is empty" : `has ${bytes} bytes`;
  return `${path} ${now}; the last edit put ${wrote} bytes into it`;
}
