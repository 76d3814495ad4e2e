/** Formats rows as a table within a width: only flexible columns shrink. */

import { type Tone, visibleLine } from "@holdfast/protocol";
import { printLine, widthOfStdout } from "./print.ts";
import { fit, pad, widthOf } from "./width.ts";
import type { Span, Words } from "./words.ts";

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Column {
  readonly head: string;
  /** Marks a flexible column. Of several, the last shrinks first. */
  readonly gives?: true;
}

const GAP = 2;
/** The least width of a flexible column: a shorter title is useless. */
const LEAST = 12;

export async function printTable(
  columns: readonly Column[],
  rows: readonly (readonly (Cell | string)[])[],
): Promise<void> {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)),
  );
  for (const line of table(columns, cells, widthOfStdout())) await printLine(line);
}

/** `width` is the terminal's width; null means that no cell is cut. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number | null,
): Words[] {
  // Text is made visible before it is measured, since that is what takes up columns.
  const texts = rows.map((row) => row.map(({ text }) => visibleLine(text)));
  const widths = columns.map(({ head }, i) =>
    Math.max(widthOf(head), ...texts.map((row) => widthOf(row[i] ?? ""))),
  );
  let over = width === null ? 0 : widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  for (const [i, own] of [...widths.entries()].reverse()) {
    if (over <= 0 || columns[i]?.gives !== true) continue;
    widths[i] = Math.max(Math.min(own, LEAST), own - over);
    over -= own - (widths[i] ?? 0);
  }
  const line = (cells: readonly Cell[]): Words =>
    cells.map(({ text, tone }, i): string | Span => {
      const isLast = i === cells.length - 1;
      const cut = fit(text, widths[i] ?? 0);
      const whole = isLast ? cut : pad(cut, (widths[i] ?? 0) + GAP);
      return tone === undefined ? whole : { text: whole, tone };
    });
  return [
    line(columns.map(({ head }) => ({ text: head, tone: "quiet" as const }))),
    ...rows.map((row, r) => line(row.map((cell, i) => ({ ...cell, text: texts[r]?.[i] ?? "" })))),
  ];
}
