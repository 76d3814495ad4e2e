/**
 * Makes foreign text harmless on a terminal and on a page: every character that could move the
 * cursor, change a colour, set a title, reach the clipboard, reorder letters, hide or imitate our
 * own text is replaced by a visible form.
 *
 * JSON text keeps its values: a character that JSON leaves raw becomes JSON's own escape.
 */

/**
 * Control characters, invisible characters, line separators and lone surrogates, except the joiners
 * and variation selectors that shape letters.
 */
const hidden =
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const breaking = /[\n\t]/g;

/** The block ␀ … ␟, in the order of the control characters it stands for. */
const PICTURES = 0x2400;

export function visible(text: string): string {
  return text.replace(hidden, shown);
}

/** The same for a single line: a line break in a title must not start a new line of ours. */
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
