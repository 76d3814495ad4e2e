/**
 * One line for each message part that is neither text nor a tool call. An agent wrote these parts,
 * so any field may be missing.
 */

import type { Json } from "@holdfast/protocol";

type Part = Readonly<Record<string, Json>>;

export function partLine(part: Part): string {
  if (part.type === "plan") return planLine(part);
  if (part.type === "diff") return diffLine(part);
  if (part.type === "blob") return longDiffLine(part.diff) ?? "something long was added";
  return textOf(part.type) || "something was added";
}

const stepMarks: Readonly<Record<string, string>> = { completed: "✓ ", in_progress: "▸ " };

function planLine({ entries }: Part): string {
  const steps = (Array.isArray(entries) ? entries : []).map((entry) => {
    const { content, status } = entry as Part;
    return (stepMarks[textOf(status)] ?? "") + textOf(content);
  });
  return `plan: ${steps.join(" · ")}`;
}

/** An edit whose texts are too long for an event, so the host compared them. */
function longDiffLine(diff: Json | undefined): string | null {
  if (diff === null || typeof diff !== "object" || Array.isArray(diff)) return null;
  const { path, added, removed } = diff as Part;
  const file = textOf(path).split("/").at(-1) ?? "";
  return `± ${file}  +${Number(added) || 0} −${Number(removed) || 0}`;
}

function diffLine({ path, oldText, newText }: Part): string {
  const file = textOf(path).split("/").at(-1) ?? "";
  const before = linesOf(textOf(oldText));
  const after = linesOf(textOf(newText));
  const same = sharedLines(before, after);
  return `± ${file}  +${after.length - same} −${before.length - same}`;
}

/** Counts the unchanged lines at both ends: precise enough to say how large a change is. */
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

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
