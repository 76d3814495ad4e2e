/** A program's output, made harmless and short enough to show. */

import { visible } from "@holdfast/protocol";

/** Colours and weights: common in honest output, and they hide no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the control character that is meant.
const styling = /\u001b\[[0-9;:]*m/g;

/** A program's output: styles are removed, and all other invisible characters made visible. */
export function output(text: string): string {
  return visible(text.replaceAll("\r\n", "\n").replace(styling, ""));
}

/** Cursor moves and erasures. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the control character that is meant.
const moving = /\u001b\[[0-9;:?]*[A-Za-z]/g;

/** For a short summary of an output: of an overwritten line, only the last version. */
export function overwritten(text: string): string {
  const lines = text.replace(moving, "").replaceAll("\r\n", "\n").split("\n");
  return output(lines.map((line) => line.slice(line.lastIndexOf("\r") + 1)).join("\n"));
}

/** Longer lines are truncated for display; a browser takes seconds to lay out a megabyte. */
export const LONGEST_LINE = 2000;

export function cutLines(text: string, longest: number = LONGEST_LINE): string {
  return text
    .split("\n")
    .map((line) => {
      if (line.length <= longest) return line;
      const left = line.length - longest;
      return `${line.slice(0, longest).toWellFormed()} … ${left.toLocaleString("en")} more characters`;
    })
    .join("\n");
}

/** About a screen of text. */
const PIECE = 4000;

/** Splits a long text into pieces of about a screen, at line ends if possible. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from + PIECE);
    const isNear = end >= 0 && end < from + 2 * PIECE;
    // A line without an end is split between characters.
    const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(from + PIECE - 1));
    const to = isNear ? end + 1 : Math.min(text.length, from + PIECE - (isSplit ? 1 : 0));
    pieces.push(isNear ? text.slice(from, end) : text.slice(from, to));
    from = to;
  }
  return pieces.length === 0 ? [text] : pieces;
}
