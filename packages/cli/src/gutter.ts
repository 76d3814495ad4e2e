/**
 * Sets an agent's words off from our own lines on a terminal: each line of them, also one that the
 * terminal would wrap, begins with a mark that our lines never begin with.
 */

import { visible } from "./visible.ts";
import { widthOf } from "./width.ts";

const MARK = "│ ";
const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

export class Gutter {
  /** Columns taken on the present line, without the mark; null at the beginning of one. */
  #at: number | null = null;

  /** The text with its marks. It may be a piece of a line: the next one goes on where this ends. */
  mark(text: string, columns: number): string {
    const room = Math.max(1, columns - widthOf(MARK) - 1);
    let marked = "";
    for (const { segment } of letters.segment(visible(text))) {
      if (segment === "\n") {
        marked += this.#at === null ? `${MARK.trimEnd()}\n` : "\n";
        this.#at = null;
        continue;
      }
      const width = segment === "\t" ? 8 : widthOf(segment);
      if (this.#at !== null && this.#at + width > room) {
        marked += "\n";
        this.#at = null;
      }
      if (this.#at === null) marked += MARK;
      marked += segment;
      this.#at = (this.#at ?? 0) + width;
    }
    return marked;
  }

  /** Somebody else ended the line. */
  newLine(): void {
    this.#at = null;
  }
}
