/** Output and a line of input on one terminal: neither tears the other apart. */

import { Gutter } from "./gutter.ts";
import { questionLines } from "./question-lines.ts";
import type { Piece, Question } from "./render.ts";
import { fit, widthOf } from "./width.ts";
import { quiet, toned, type Words } from "./words.ts";

/** The terminal, as far as a screen needs one. */
export interface Terminal {
  /** Onto stdout, as it comes; resolves when it is taken. */
  answer(text: string): Promise<void>;
  /** Onto stderr, a line. */
  note(words: Words): void;
  /** Onto stderr, in place of what stands on the line. */
  typed(words: Words): void;
  /** Answers and notes appear on the same terminal. */
  readonly shared: boolean;
  readonly columns: number;
}

export class Screen {
  readonly #terminal: Terminal;
  readonly #choices: (question: Question) => Words;
  #typed = "";
  /** What Enter would do with the line, where that is not to send it. */
  #hint = "";
  /** The beginning of a line that came while somebody types: shown when it is whole. */
  #held = "";
  #midLine = false;
  /** A line was ended for a note: the end that it still has to come is there already. */
  #endedEarly = false;
  readonly #gutter = new Gutter();
  #taken: Promise<void> = Promise.resolve();

  /** `choices` says how a question can be answered here. */
  constructor(terminal: Terminal, choices: (question: Question) => Words) {
    this.#terminal = terminal;
    this.#choices = choices;
  }

  /** Resolves when stdout has taken it: whoever reads slowly is waited for. */
  show(pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) {
      if (piece.type === "answer") this.#answer(piece.text);
      else if (piece.type === "note") this.note(piece.words);
      else {
        for (const line of questionLines(piece.question)) this.note(line);
        this.note(this.#choices(piece.question));
        if (this.#typed !== "")
          this.note(quiet("  your line comes first: Enter sends it, Esc clears it"));
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

  /** The line as it now stands; an empty one gives the terminal back to the output. */
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
    // Beside our own lines an agent's words are marked; a file or a pipe gets them as they are.
    const { shared, columns } = this.#terminal;
    this.#taken = this.#terminal.answer(shared ? this.#gutter.mark(text, columns) : text);
    // Whoever shows pieces hears of it; what is shown in between must not end the process.
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

  /** Only the end of a long line, so that it stays one and can be taken away again. */
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
