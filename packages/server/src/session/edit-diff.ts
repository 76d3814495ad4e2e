/** An edit as a patch of bounded size: agents send whole files, too large for an event. */

import type { Json } from "@holdfast/protocol";
import { structuredPatch } from "diff";

interface EditDiff {
  readonly path: string;
  /** The call that made the edit; absent when the agent named none. */
  readonly toolCallId?: string;
  readonly isNew: boolean;
  /** Bytes of the text that the edit put into the file; absent in journals of earlier versions. */
  readonly wrote?: number;
  readonly added: number;
  readonly removed: number;
  /** Hunks with `@@` headers, possibly cut. */
  readonly patch: string;
  readonly truncated: boolean;
}

/** The most edits to compare, because time grows with their square; beyond it, one hunk. */
const MOST_EDITS = 1000;
/** The most characters of a patch in the event; the rest is in the blob. */
const MOST_LETTERS = 16 * 1024;
const LONGEST_LINE = 1000;
const LONGEST_PATH = 1000;
const AROUND = 3;

/** Null for a part that is not an edit. */
export function editDiffOf(part: Readonly<Record<string, Json>>): EditDiff | null {
  const { type, path, oldText, newText, toolCallId } = part;
  if (type !== "diff" || typeof path !== "string" || typeof newText !== "string") return null;
  const before = typeof oldText === "string" ? oldText : "";
  const pieces = changedPieces(before, newText);
  const lines = pieces.flatMap((piece) => piece.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return {
    path: path.slice(0, LONGEST_PATH).toWellFormed(),
    ...(typeof toolCallId === "string" ? { toolCallId } : {}),
    isNew: typeof oldText !== "string",
    wrote: Buffer.byteLength(newText),
    added: count("+"),
    removed: count("-"),
    ...bounded(pieces),
  };
}

interface Piece {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function changedPieces(before: string, after: string): readonly Piece[] {
  if (before === after) return [];
  const options = { context: AROUND, maxEditLength: MOST_EDITS };
  const found = structuredPatch("", "", before, after, undefined, undefined, options);
  return found?.hunks ?? [replacement(linesOf(before), linesOf(after))];
}

function replacement(before: readonly string[], after: readonly string[]): Piece {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const gone = before.slice(head, before.length - tail);
  const come = after.slice(head, after.length - tail);
  return {
    oldStart: head + 1,
    oldLines: gone.length,
    newStart: head + 1,
    newLines: come.length,
    lines: [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)],
  };
}

function bounded(pieces: readonly Piece[]): Pick<EditDiff, "patch" | "truncated"> {
  let patch = "";
  let truncated = false;
  for (const { oldStart, oldLines, newStart, newLines, lines } of pieces) {
    for (const line of [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines]) {
      const shown = line.slice(0, LONGEST_LINE).toWellFormed();
      if (patch.length + shown.length >= MOST_LETTERS) return { patch, truncated: true };
      truncated ||= shown.length < line.length;
      patch += `${shown}\n`;
    }
  }
  return { patch, truncated };
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
