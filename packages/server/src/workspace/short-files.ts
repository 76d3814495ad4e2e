/** Files shorter than the agent wrote them: after a power cut a written file may be empty. */

import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import {
  answersOfTurn,
  callStatus,
  type Json,
  type Message,
  type ToolPart,
  type Transcript,
} from "@holdfast/protocol";
import { isObject } from "../agents/acp/acp-shape.ts";
import { liesIn } from "./inside.ts";

/** The last text that the agent wrote to a file, as its edit reports. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  /** True when a call after the edit may have shortened or removed the file on purpose. */
  readonly isTouched: boolean;
}

export interface ShortFile {
  readonly path: string;
  readonly bytes: number | null;
  readonly wrote: number;
  readonly isTouched: boolean;
}

const MOST_FILES = 50;

type Part = Message["contentParts"][number];

export function writtenIn(story: Pick<Transcript, "messages" | "runs">): WrittenFile[] {
  const last = story.runs.findLast(({ taken }) => taken.length > 0);
  if (last === undefined) return [];
  const parts = answersOfTurn(story, last.id).flatMap(({ contentParts }) => contentParts);
  const editing = new Set(parts.flatMap((part) => editIn(part)?.call ?? []));
  const written = new Map<string, WrittenFile>();
  for (const part of parts) {
    const edit = editIn(part);
    if (edit !== null) {
      // The latest edit goes last, because only the last files are checked.
      written.delete(edit.path);
      written.set(edit.path, { path: edit.path, bytes: edit.bytes, isTouched: false });
    } else if (part.type === "tool" && mayHaveRun(part) && !editing.has(part.toolCallId)) {
      for (const file of written.values()) written.set(file.path, { ...file, isTouched: true });
    }
  }
  return [...written.values()].filter(({ bytes }) => bytes > 0).slice(-MOST_FILES);
}

interface Edit {
  readonly path: string;
  readonly bytes: number;
  /** The call that made the edit, if the agent names it. */
  readonly call: string | null;
}

/** The edit in a part; of a large one, earlier versions did not store the size. */
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

function mayHaveRun(tool: ToolPart): boolean {
  const status = callStatus(tool);
  return status !== "denied" && status !== "not_started";
}

/** Files smaller than their last edit, or gone; an edit may be part of a larger file. */
export async function shortFiles(
  root: string,
  written: readonly WrittenFile[],
): Promise<ShortFile[]> {
  const short: ShortFile[] = [];
  for (const { path, bytes: wrote, isTouched } of written) {
    const file = resolve(root, path);
    if (!liesIn(file, root)) continue;
    const bytes = await sizeAt(file);
    if (bytes === null || bytes < wrote) short.push({ path, bytes, wrote, isTouched });
  }
  return short;
}

/** The size of a file; null when it does not exist. An unreadable one counts as unchanged. */
async function sizeAt(file: string): Promise<number | null> {
  return lstat(file).then(
    ({ size }) => size,
    ({ code }: NodeJS.ErrnoException) =>
      code === "ENOENT" || code === "ENOTDIR" ? null : Number.POSITIVE_INFINITY,
  );
}

export function shortFileWords({ path, bytes, wrote, isTouched }: ShortFile): string {
  const now = bytes === null ? "is gone" : bytes === 0 ? "is empty" : `has ${bytes} bytes`;
  const perhaps = isTouched ? ", and a later call may have changed it" : "";
  return `${path} ${now}; the last edit wrote ${wrote} bytes${perhaps}`;
}
