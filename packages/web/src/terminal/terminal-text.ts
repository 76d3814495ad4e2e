/**
 * Output of a program as a terminal shows it: `\r` and cursor moves write over what was there, styles
 * become runs of text. Loaded when the first such output is shown. A real terminal reads it, without a
 * screen: no markup is made, and nothing in the output reaches the page but letters and four styles.
 */

import { type IBufferLine, Terminal } from "@xterm/headless/lib-headless/xterm-headless.mjs";

export interface Run {
  readonly text: string;
  /** Class names of our stylesheet. */
  readonly look: string;
}

export type Line = readonly Run[];

/** Longer lines wrap in a terminal; here they are joined again. */
const COLUMNS = 500;
const ROWS = 24;
/** More than anyone reads; the beginning of longer output is left out, as a terminal does it. */
const MOST_LINES = 5000;

export function terminalLines(output: string): Promise<readonly Line[]> {
  const terminal = new Terminal({
    ...{ cols: COLUMNS, rows: ROWS, scrollback: MOST_LINES },
    // A pipe has no carriage returns before its line ends.
    ...{ convertEol: true, allowProposedApi: true },
  });
  return new Promise((resolve) => {
    terminal.write(output, () => {
      resolve(linesOf(terminal));
      terminal.dispose();
    });
  });
}

function linesOf({ buffer: { active } }: Terminal): readonly Line[] {
  const lines: Run[][] = [];
  for (let y = 0; y < active.length; y++) {
    const line = active.getLine(y);
    if (line === undefined) continue;
    const runs = runsOf(line);
    const last = lines.at(-1);
    if (line.isWrapped && last !== undefined) last.push(...runs);
    else lines.push(runs);
  }
  while (lines.length > 0 && lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function runsOf(line: IBufferLine): Run[] {
  const length = line.translateToString(true).length;
  const runs: { text: string; look: string }[] = [];
  let letters = 0;
  for (let x = 0; x < line.length && letters < length; x++) {
    const cell = line.getCell(x);
    // The second half of a wide letter.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() || " ";
    letters += text.length;
    const look = lookOf(cell);
    const last = runs.at(-1);
    if (last?.look === look) last.text += text;
    else runs.push({ text, look });
  }
  return runs;
}

type Cell = NonNullable<ReturnType<IBufferLine["getCell"]>>;

/**
 * Hues have their own meanings on this page, so a program's colours are weight and shade: loud ones
 * strong, grey and dim ones quiet. Red alone keeps its hue, because it means here what it means there.
 */
function lookOf(cell: Cell): string {
  const colour = cell.isFgPalette() ? cell.getFgColor() : -1;
  const isRed = colour === 1 || colour === 9;
  const isQuiet = cell.isDim() !== 0 || colour === 8;
  const isStrong = cell.isBold() !== 0 || (colour > 0 && !isQuiet && colour !== 7 && colour !== 15);
  return [
    isRed ? "term-red" : isQuiet ? "term-quiet" : isStrong ? "term-strong" : "",
    cell.isUnderline() !== 0 ? "term-under" : "",
    cell.isInverse() !== 0 || !cell.isBgDefault() ? "term-mark" : "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}
