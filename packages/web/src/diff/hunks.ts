/** A diff as lines: added, removed, some context, and gaps. */

import { diffLines } from "diff";

export type DiffLine =
  | { readonly sign: " " | "+" | "−"; readonly text: string; readonly at: number | null }
  | { readonly sign: "…"; readonly hidden: number };

const AROUND = 2;

/** Comparing takes time by the square of the edits: past this, one text replaces the other. */
const MOST_EDITS = 1000;

export function diffLinesOf(before: string, after: string): readonly DiffLine[] {
  const lines: Exclude<DiffLine, { sign: "…" }>[] = [];
  let at = 1;
  const found = diffLines(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ];
  for (const { value, added, removed } of found.filter(({ value }) => value !== "")) {
    for (const text of value.replace(/\n$/, "").split("\n")) {
      if (removed) lines.push({ sign: "−", text, at: null });
      else lines.push({ sign: added ? "+" : " ", text, at: at++ });
    }
  }
  return folded(lines);
}

function folded(lines: readonly Exclude<DiffLine, { sign: "…" }>[]): readonly DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [i, line] of lines.entries()) {
    if (line.sign === " ") continue;
    isNear.fill(true, Math.max(0, i - AROUND), Math.min(lines.length, i + AROUND + 1));
  }
  const shown: DiffLine[] = [];
  for (const [i, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[i]) shown.push(line);
    else if (last?.sign === "…") shown[shown.length - 1] = { sign: "…", hidden: last.hidden + 1 };
    else shown.push({ sign: "…", hidden: 1 });
  }
  return shown;
}
