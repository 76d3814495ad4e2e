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

/** An edit whose two texts are too long for an event: the host compared them. */
export interface LongDiff {
  readonly path: string;
  readonly isNew: boolean;
  /** Null where nobody counted: an edit that an earlier host kept. */
  readonly size: { readonly plus: number; readonly minus: number } | null;
  readonly patch: string;
  /** The patch is only the beginning of the change. */
  readonly truncated: boolean;
  /** Both texts, as the agent sent them. */
  readonly blob: BlobRef;
  readonly toolCallId: string | null;
}

/** A picture that the host has looked at: only formats that are nothing but pixels. */
export interface Picture {
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  readonly blob: BlobRef;
}

/** A picture, or why it cannot be shown; null for a part that is none. */
export interface Pictured {
  readonly toolCallId: string | null;
  readonly picture: Picture | null;
  readonly unshown: string;
}

export type ToldDiff = FileDiff | LongDiff;

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

export function diffOf(part: Other): ToldDiff | null {
  if (part.type === "blob") return longDiffOf(part);
  if (part.type !== "diff" || typeof part.path !== "string") return null;
  const { path, oldText, newText, toolCallId } = part;
  return {
    path,
    before: typeof oldText === "string" ? oldText : null,
    after: textOf(newText),
    toolCallId: typeof toolCallId === "string" ? toolCallId : null,
  };
}

function longDiffOf(part: Other): LongDiff | null {
  const blob = blobOf(part);
  if (blob === null) return null;
  if (!isObject(part.diff)) return earlierDiff(part, blob);
  const { path, toolCallId, isNew, added, removed, patch, truncated } = part.diff;
  if (typeof path !== "string" || typeof patch !== "string") return null;
  return {
    ...{ path, patch, blob, isNew: isNew === true, truncated: truncated === true },
    size: { plus: Number(added) || 0, minus: Number(removed) || 0 },
    toolCallId: typeof toolCallId === "string" ? toolCallId : null,
  };
}

/** Earlier hosts kept the beginning of the JSON, which names the file. */
const earlierPath = /^\{[^{}]*?"path":("(?:[^"\\]|\\.)*")/;

function earlierDiff({ preview }: Other, blob: BlobRef): LongDiff | null {
  const text = textOf(preview);
  const found = text.includes('"type":"diff"') ? earlierPath.exec(text)?.[1] : undefined;
  if (found === undefined) return null;
  const path = JSON.parse(found) as string;
  const unknown = { isNew: false, size: null, patch: "", truncated: true, toolCallId: null };
  return { path, blob, ...unknown };
}

const pixels = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function picturedOf(part: Other): Pictured | null {
  if (part.type !== "image") return null;
  const { mime, width, height, hash, bytes, unshown } = part;
  const isShown =
    typeof mime === "string" && pixels.has(mime) && typeof hash === "string" && Number(width) > 0;
  return {
    toolCallId: typeof part.toolCallId === "string" ? part.toolCallId : null,
    picture: isShown
      ? { mime, width: Number(width), height: Number(height), blob: { hash, bytes: Number(bytes) } }
      : null,
    unshown: textOf(unshown) || "it is of a kind that is not shown",
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
export function sizeOf(diff: ToldDiff): { readonly plus: number; readonly minus: number } {
  if ("patch" in diff) return diff.size ?? { plus: 0, minus: 0 };
  const a = linesOf(diff.before ?? "");
  const b = linesOf(diff.after);
  const same = sharedLines(a, b);
  return { plus: b.length - same, minus: a.length - same };
}

/**
 * The files a transcript changed. Each is one change, from what it was first to what it is now; with a
 * long edit in between, which has no texts here, each edit in its turn.
 */
export function changesOf(parts: Iterable<Part>): readonly (readonly ToldDiff[])[] {
  const files = new Map<string, readonly ToldDiff[]>();
  for (const part of parts) {
    const diff = part.type === "other" ? diffOf(part.part) : null;
    if (diff !== null) files.set(diff.path, joined(files.get(diff.path) ?? [], diff));
  }
  return [...files.values()].filter((diffs) => diffs.length > 0);
}

function joined(before: readonly ToldDiff[], next: ToldDiff): readonly ToldDiff[] {
  const last = before.at(-1);
  if ("patch" in next || last === undefined || "patch" in last) return [...before, next];
  const whole = { ...next, before: last.before };
  return [...before.slice(0, -1), ...(whole.before === whole.after ? [] : [whole])];
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
