/** Output and an input line on one terminal, kept apart from each other. */

import { questionLines } from "../lines/question-lines.ts";
import type { Piece, Question } from "../lines/render.ts";
import { Gutter } from "../output/gutter.ts";
import { fit, widthOf } from "../output/width.ts";
import { quiet, toned, type Words } from "../output/words.ts";

/** The part of a terminal that a screen uses. */
export interface Terminal {
  /** Writes to stdout; resolves when the stream has accepted the text. */
  answer(text: string): Promise<void>;
  note(words: Words): void;
  typed(words: Words): void;
  /** True when stdout and stderr are the same terminal. */
  readonly shared: boolean;
  readonly columns: number;
}

export class Screen {
  readonly #terminal: Terminal;
  readonly #choices: (question: Question) => Words;
  #typed = "";
  /** The effect of Enter on the line; empty when Enter sends it. */
  #hint = "";
  /** An incomplete line of output that arrived during typing; shown when it is complete. */
  #held = "";
  #midLine = false;
  /** True when a note has ended a line early: the line's own newline is then dropped. */
  #endedEarly = false;
  readonly #gutter = new Gutter();
  #taken: Promise<void> = Promise.resolve();

  /** `choices` returns the line that tells how to answer a question here. */
  constructor(terminal: Terminal, choices: (question: Question) => Words) {
    this.#terminal = terminal;
    this.#choices = choices;
  }

  /** Resolves when stdout has accepted the pieces, so that a slow reader slows the caller. */
  show(pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) {
      if (piece.type === "answer") this.#answer(piece.text);
      else if (piece.type === "note") this.note(piece.words);
      else {
        for (const line of questionLines(piece.question)) this.note(line);
        this.note(this.#choices(piece.question));
        if (this.#typed !== "")
          this.note(quiet("  finish your message first: Enter sends it, Esc clears it"));
      }
    }
    return this.#taken;
  }

  note(words: Words): void {
    this.#above(() => {
      this.#flush();
      this.#ownLine();
      this.#terminal.note(words);
    });
  }

  /** Sets the input line; an empty line hands the terminal back to the output. */
  type(text: string, hint = ""): void {
    this.#hint = hint;
    if (this.#typed === "" && text !== "") this.#ownLine();
    if (this.#typed !== "" && text === "") this.#terminal.typed("");
    this.#typed = text;
    if (text === "") this.#flush();
    else this.#draw();
  }

  #answer(text: string): void {
    if (this.#typed === "") {
      this.#write(text);
      return;
    }
    this.#held += text;
    const whole = this.#held.lastIndexOf("\n") + 1;
    if (whole === 0) return;
    const lines = this.#held.slice(0, whole);
    this.#held = this.#held.slice(whole);
    this.#above(() => this.#write(lines));
  }

  #above(write: () => void): void {
    if (this.#typed !== "") this.#terminal.typed("");
    write();
    if (this.#typed !== "") this.#draw();
  }

  #flush(): void {
    const held = this.#held;
    this.#held = "";
    if (held !== "") this.#write(held);
  }

  #write(whole: string): void {
    const text = this.#endedEarly && whole.startsWith("\n") ? whole.slice(1) : whole;
    if (whole !== "") this.#endedEarly = false;
    if (text === "") return;
    // On a shared terminal the agent's text is marked; a file or a pipe gets it unchanged.
    const { shared, columns } = this.#terminal;
    this.#taken = this.#terminal.answer(shared ? this.#gutter.mark(text, columns) : text);
    // `show` returns this promise; a rejection that no caller awaits must not end the process.
    this.#taken.catch(() => undefined);
    this.#midLine = this.#terminal.shared && !text.endsWith("\n");
  }

  #ownLine(): void {
    if (!this.#midLine) return;
    this.#terminal.note("");
    this.#gutter.newLine();
    this.#midLine = false;
    this.#endedEarly = true;
  }

  /** Draws only the end of a long line, so that it fits one row and can be erased. */
  #draw(): void {
    let text = this.#typed;
    const room = this.#terminal.columns - 4;
    while (text !== "" && widthOf(text) > room) text = text.slice(Math.ceil(text.length / 8));
    const cut = text === this.#typed ? "" : "…";
    const left = room - widthOf(cut + text);
    const hint = this.#hint === "" ? [] : [toned("needs", fit(`  ${this.#hint}`, left))];
    this.#terminal.typed([toned("strong", "› "), cut + text, ...hint]);
  }
}
