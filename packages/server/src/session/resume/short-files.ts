/**
 * Files that hold less than the agent wrote into them. After a power cut a file may be there and empty:
 * the agent said that it wrote it, and the disk never got it.
 */

import { lstat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Json, Message, ToolPart, Transcript } from "@holdfast/protocol";
import { isObject } from "../../agents/acp-shape.ts";
import { liesIn } from "../../workspace/inside.ts";

/** The last text that the agent put into a file, as its edit says. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
  /** True where a call after the edit may have shortened or removed the file on purpose. */
  readonly isTouched: boolean;
}

export interface ShortFile {
  readonly path: string;
  /** Null where the file is gone. */
  readonly bytes: number | null;
  /** The bytes that the last edit put into it. */
  readonly wrote: number;
  readonly isTouched: boolean;
}

const MOST_FILES = 50;

type Part = Message["contentParts"][number];

/** By the latest run that an agent took, and the one that it continues. */
export function writtenIn({ messages, runs }: Pick<Transcript, "messages" | "runs">): Written[] {
  const last = runs.findLast(({ taken }) => taken.length > 0);
  if (last === undefined) return [];
  const parts = messages
    .filter(({ role, runId }) => {
      return role === "assistant" && (runId === last.id || runId === last.continues);
    })
    .flatMap(({ contentParts }) => contentParts);
  const editing = new Set(parts.flatMap((part) => editIn(part)?.call ?? []));
  const written = new Map<string, Written>();
  for (const part of parts) {
    const edit = editIn(part);
    if (edit !== null) {
      // The latest edit goes last: only so many files are looked at.
      written.delete(edit.path);
      written.set(edit.path, { path: edit.path, bytes: edit.bytes, isTouched: false });
    } else if (part.type === "tool" && mayHaveRun(part) && !editing.has(part.toolCallId)) {
      for (const file of written.values()) {
        if (removes(part, file.path)) written.delete(file.path);
        else written.set(file.path, { ...file, isTouched: true });
      }
    }
  }
  return [...written.values()].filter(({ bytes }) => bytes > 0).slice(-MOST_FILES);
}

interface Edit {
  readonly path: string;
  readonly bytes: number;
  /** The call that made it, where the agent says so. */
  readonly call: string | null;
}

/** A large edit is a blob beside its diff, which says how much it wrote; those of earlier versions do not. */
function editIn(part: Part): Edit | null {
  if (part.type !== "other") return null;
  const { type, diff } = part.part;
  if (type === "diff") return editOf(part.part, sizeOf(part.part.newText));
  if (type !== "blob" || !isObject(diff)) return null;
  return editOf(diff, typeof diff.wrote === "number" ? diff.wrote : null);
}

const sizeOf = (text: Json | undefined) =>
  typeof text === "string" ? Buffer.byteLength(text) : null;

function editOf({ path, toolCallId }: Readonly<Record<string, Json>>, bytes: number | null) {
  if (typeof path !== "string" || bytes === null) return null;
  return { path, bytes, call: typeof toolCallId === "string" ? toolCallId : null };
}

function mayHaveRun({ status }: ToolPart): boolean {
  return status !== "denied" && status !== "not_started";
}

/** Words for taking a file away, in a command or in the name of a tool. */
const REMOVING = /\b(rm|mv|unlink|rmdir|del|delete|remove|rename|move)(?=\b|_)/i;

/** True when the call completed, and names the file together with a word for taking it away. */
function removes({ name, input, status }: ToolPart, path: string): boolean {
  const text = `${name} ${typeof input === "string" ? input : JSON.stringify(input)}`;
  return status === "completed" && REMOVING.test(text) && text.includes(basename(path));
}

/** An edit may be a part of its file, so only a file that is smaller than the edit itself is named. */
export async function shortFiles(root: string, written: readonly Written[]): Promise<ShortFile[]> {
  const short: ShortFile[] = [];
  for (const { path, bytes: wrote, isTouched } of written) {
    const file = resolve(root, path);
    if (!liesIn(file, root)) continue;
    const bytes = await sizeAt(file);
    if (bytes === null || bytes < wrote) short.push({ path, bytes, wrote, isTouched });
  }
  return short;
}

/** Null where nothing is there; a file that cannot be looked at may be as large as it was. */
async function sizeAt(file: string): Promise<number | null> {
  return lstat(file).then(
    ({ size }) => size,
    ({ code }: NodeJS.ErrnoException) =>
      code === "ENOENT" || code === "ENOTDIR" ? null : Number.POSITIVE_INFINITY,
  );
}

export function shortFileWords({ path, bytes, wrote, isTouched }: ShortFile): string {
  const now = bytes === null ? "is gone" : bytes === 0 ? "is empty" : `has ${bytes} bytes`;
  const perhaps = isTouched ? ", and a call after it may have done that" : "";
  return `${path} ${now}; the last edit put ${wrote} bytes into it${perhaps}`;
}
