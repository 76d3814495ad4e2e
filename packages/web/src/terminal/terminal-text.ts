/**
 * Program output as a terminal shows it: `\r` and cursor moves overwrite text, and styles become
 * runs. Loaded with the first such output. A headless terminal interprets the output; only plain
 * characters and four styles reach the page, never markup.
 */

import { type IBufferLine, Terminal } from "@xterm/headless/lib-headless/xterm-headless.mjs";

export interface Run {
  readonly text: string;
  readonly look: string;
}

export type Line = readonly Run[];

/** The terminal's width; longer lines wrap there and are joined again here. */
const COLUMNS = 500;
const ROWS = 24;
/** The most lines kept; a terminal drops the beginning of longer output. */
const MOST_LINES = 5000;

export function terminalLines(output: string): Promise<readonly Line[]> {
  const terminal = new Terminal({
    cols: COLUMNS,
    rows: ROWS,
    scrollback: MOST_LINES,
    // Output from a pipe ends its lines without carriage returns.
    convertEol: true,
    allowProposedApi: true,
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
    // Skips the second half of a wide character.
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
 * The style of a cell. Colours have meanings on this page, so a program's colours become weight and
 * shade: bright ones strong, grey and dim ones quiet. Only red keeps its hue, since it means the
 * same here.
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
