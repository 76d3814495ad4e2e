/**
 * Finds a place to cut Markdown: after the first blank line at or after `from` that is outside code
 * blocks.
 */

const fence = /^ {0,3}(?:```|~~~)/;

/** The offset of the cut, or the end of the text. */
export function paragraphEnd(text: string, from: number): number {
  let isCode = false;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found + 1;
    const line = text.slice(start, end);
    if (fence.test(line)) isCode = !isCode;
    else if (!isCode && end >= from && line.trim() === "" && found >= 0) return end;
    start = end;
  }
  return text.length;
}
