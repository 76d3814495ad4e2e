/** Measures text in terminal columns, closely enough to align a table. */

import { lettersOf } from "./letters.ts";

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;
const none = /^[\p{Mn}\p{Me}\u200c\u200d]+$/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const letter of lettersOf(text)) width += widthOfLetter(letter);
  return width;
}

function widthOfLetter(letter: string): number {
  if (none.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}

export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let width = 1;
  let kept = "";
  for (const letter of lettersOf(text)) {
    width += widthOfLetter(letter);
    if (width > columns) break;
    kept += letter;
  }
  return columns < 1 ? "" : `${kept}…`;
}

export function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}
