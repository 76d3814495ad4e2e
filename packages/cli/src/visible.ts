/**
 * What others wrote, made harmless for a terminal: everything that could move the cursor, change a
 * colour, set a title, reach the clipboard, reorder letters or hide is shown instead of obeyed.
 *
 * Applied to JSON text it changes no value: what JSON leaves raw is shown as JSON's own escape.
 */

/** Controls, whatever is not seen, line separators, halves of letters; but what shapes letters stays. */
const hidden =
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const breaking = /[\n\t]/g;

/** ␀ … ␟, in the order of what they stand for. */
const PICTURES = 0x2400;

export function visible(text: string): string {
  return text.replace(hidden, shown);
}

/** The same for a single line: a line break in a title must not begin a line of ours. */
export function visibleLine(text: string): string {
  return visible(text).replace(breaking, shown);
}

function shown(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(PICTURES + code);
  return Array.from({ length: letter.length }, (_, i) => asEscape(letter.charCodeAt(i))).join("");
}

function asEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
