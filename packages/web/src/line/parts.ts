/** What agents add beside text and tools. Anything may be missing: an agent wrote it. */

import type { BlobRef, Json, Part, ToolPart } from "@holdfast/protocol";

type Other = Readonly<Record<string, Json>>;

export interface PlanStep {
  readonly text: string;
  readonly state: "done" | "now" | "later";
}

export interface FileDiff {
  readonly path: string;
  /** Null when the file is new. */
  readonly before: string | null;
  readonly after: string;
  /** The call that made it; null when it stands for itself. */
  readonly toolCallId: string | null;
}

const stepStates: Readonly<Record<string, PlanStep["state"]>> = {
  completed: "done",
  in_progress: "now",
};

export function planOf(part: Other): readonly PlanStep[] | null {
  if (part.type !== "plan" || !Array.isArray(part.entries)) return null;
  return part.entries.map((entry: Json): PlanStep => {
    const { content, status } = isObject(entry) ? entry : {};
    const word = textOf(status);
    const state = Object.hasOwn(stepStates, word) ? stepStates[word] : undefined;
    return { text: textOf(content), state: state ?? "later" };
  });
}

export function diffOf(part: Other): FileDiff | null {
  if (part.type !== "diff" || typeof part.path !== "string") return null;
  const { path, oldText, newText, toolCallId } = part;
  return {
    path,
    before: typeof oldText === "string" ? oldText : null,
    after: textOf(newText),
    toolCallId: typeof toolCallId === "string" ? toolCallId : null,
  };
}

/** Of a call that was closed for want of news nobody knows how long it took. */
export function tookMs({ status, startedAt, endedAt }: ToolPart): number | undefined {
  if (startedAt === null || endedAt === null) return undefined;
  if (status === "unknown" || status === "not_started") return undefined;
  return Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

/** One line for whatever else there is. */
export function otherWords(part: Other): string {
  if (part.type === "blob") return "something long was added";
  return textOf(part.text) || textOf(part.message) || textOf(part.type) || "something was added";
}

/** Where all of it is, of what was too long to be told. */
export function blobOf({ type, hash, bytes }: Other): BlobRef | null {
  if (type !== "blob" || typeof hash !== "string" || typeof bytes !== "number") return null;
  return { hash, bytes };
}

/** How many lines came and went; near enough without looking inside of what changed. */
export function sizeOf({ before, after }: FileDiff): {
  readonly plus: number;
  readonly minus: number;
} {
  const a = linesOf(before ?? "");
  const b = linesOf(after);
  const same = sharedLines(a, b);
  return { plus: b.length - same, minus: a.length - same };
}

/** The files a transcript changed, each from what it was first to what it is now. */
export function changesOf(parts: Iterable<Part>): readonly FileDiff[] {
  const files = new Map<string, FileDiff>();
  for (const part of parts) {
    const diff = part.type === "other" ? diffOf(part.part) : null;
    if (diff === null) continue;
    const first = files.get(diff.path);
    files.set(diff.path, first === undefined ? diff : { ...diff, before: first.before });
  }
  return [...files.values()].filter(({ before, after }) => before !== after);
}

function sharedLines(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return head + tail;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function isObject(value: Json | undefined): value is Other {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
