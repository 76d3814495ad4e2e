/**
 * Marks an agent's text on a terminal: each of its lines, also one that the terminal would wrap,
 * begins with a mark that the CLI's own lines never begin with.
 */

import { visible } from "@holdfast/protocol";
import { lettersOf } from "./letters.ts";
import { widthOf } from "./width.ts";

const MARK = "│ ";

export class Gutter {
  /** Columns used on the current line, without the mark; null at the start of a line. */
  #at: number | null = null;

  /** The text with its marks. It may be part of a line, and the next call continues that line. */
  mark(text: string, columns: number): string {
    const room = Math.max(1, columns - widthOf(MARK) - 1);
    let marked = "";
    for (const letter of lettersOf(visible(text))) {
      if (letter === "\n") {
        marked += this.#at === null ? `${MARK.trimEnd()}\n` : "\n";
        this.#at = null;
        continue;
      }
      const width = letter === "\t" ? 8 : widthOf(letter);
      if (this.#at !== null && this.#at + width > room) {
        marked += "\n";
        this.#at = null;
      }
      if (this.#at === null) marked += MARK;
      marked += letter;
      this.#at = (this.#at ?? 0) + width;
    }
    return marked;
  }

  newLine(): void {
    this.#at = null;
  }
}
