/** Parts that agents add beside text and tools. Agents write them, so any field may be missing. */

import { type BlobRef, editSize, type Json, type Part, type ToolPart } from "@holdfast/protocol";

type Other = Readonly<Record<string, Json>>;

export interface PlanStep {
  readonly text: string;
  readonly state: "done" | "now" | "later";
}

interface FileDiff {
  readonly path: string;
  /** The file's text before the edit; null for a new file. */
  readonly before: string | null;
  readonly after: string;
  /** The call that made the edit; null for an edit outside a call. */
  readonly toolCallId: string | null;
}

/** An edit whose two texts are too long for an event; the host has compared them. */
export interface LongDiff {
  readonly path: string;
  readonly isNew: boolean;
  /** Line counts; null for an edit from an earlier host, which did not count. */
  readonly size: { readonly plus: number; readonly minus: number } | null;
  readonly patch: string;
  readonly truncated: boolean;
  /** Both texts, as the agent sent them. */
  readonly blob: BlobRef;
  readonly toolCallId: string | null;
}

/** An image that the host has checked: only pixel formats are allowed. */
export interface Picture {
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  readonly blob: BlobRef;
}

/** An image, or the reason why it cannot be shown. */
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
    path,
    patch,
    blob,
    isNew: isNew === true,
    truncated: truncated === true,
    size: { plus: Number(added) || 0, minus: Number(removed) || 0 },
    toolCallId: typeof toolCallId === "string" ? toolCallId : null,
  };
}

/** Earlier hosts stored the beginning of the JSON, which contains the path. */
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
    unshown: textOf(unshown) || "this kind of picture cannot be shown",
  };
}

/** The duration of a call; undefined when its end was never reported. */
export function tookMs({ status, startedAt, endedAt }: ToolPart): number | undefined {
  if (startedAt === null || endedAt === null) return undefined;
  if (status === "unknown" || status === "not_started") return undefined;
  return Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

/** The blob with the full content of a part that was too long for an event. */
export function blobOf({ type, hash, bytes }: Other): BlobRef | null {
  if (type !== "blob" || typeof hash !== "string" || typeof bytes !== "number") return null;
  return { hash, bytes };
}

/** Number of added and removed lines; an approximation from the shared lines. */
export function sizeOf(diff: ToldDiff): { readonly plus: number; readonly minus: number } {
  if ("patch" in diff) return diff.size ?? { plus: 0, minus: 0 };
  return editSize(diff.before ?? "", diff.after);
}

/**
 * The files that a transcript changed. The edits of a file are joined into one change, from its
 * first text to its last. A long edit has no texts here, so that file keeps its edits separately.
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

function isObject(value: Json | undefined): value is Other {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
