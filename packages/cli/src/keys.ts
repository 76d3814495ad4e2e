/** What a key does to the line that is being typed, or to the question that is open. Pure. */

import type { ApprovalDecision } from "@holdfast/protocol";

export interface Key {
  /** What it types; empty for keys that type nothing. */
  readonly text: string;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

export interface Typed {
  readonly text: string;
  /** Between the marks of a paste nothing is a command. */
  readonly pasting: boolean;
}

export type Action =
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "answer"; readonly decision: ApprovalDecision }
  /** The key came with the question: it was meant for something else. */
  | { readonly type: "too_soon" }
  | { readonly type: "leave"; readonly interrupted: boolean }
  | { readonly type: "suspend" };

export interface Pressed {
  readonly typed: Typed;
  readonly action?: Action;
}

export const nothingTyped: Typed = { text: "", pasting: false };

/** Nobody reads a question faster than this. */
const READING_TIME = 500;

const answers: Readonly<Record<string, ApprovalDecision>> = {
  y: "allow",
  a: "allow_always",
  n: "deny",
};

/** `shownForMs` is how long the open question has been there; null when there is none. */
export function press(typed: Typed, key: Key, shownForMs: number | null): Pressed {
  if (key.name === "paste-start") return { typed: { ...typed, pasting: true } };
  if (key.name === "paste-end") return { typed: { ...typed, pasting: false } };
  if (typed.pasting) return { typed: { ...typed, text: typed.text + pasted(key) } };
  if (key.ctrl) return control(typed, key);
  const decision = typed.text === "" && shownForMs !== null ? answers[key.text] : undefined;
  if (decision !== undefined) {
    const early = (shownForMs ?? 0) < READING_TIME;
    return { typed, action: early ? { type: "too_soon" } : { type: "answer", decision } };
  }
  if (key.name === "return" || key.name === "enter") {
    const text = typed.text.trim();
    return text === ""
      ? { typed: nothingTyped }
      : { typed: nothingTyped, action: { type: "send", text } };
  }
  if (key.name === "backspace") return { typed: { ...typed, text: shorter(typed.text) } };
  if (key.name === "escape") return { typed: nothingTyped };
  return key.meta ? { typed } : { typed: { ...typed, text: typed.text + printable(key.text) } };
}

function control(typed: Typed, { name }: Key): Pressed {
  switch (name) {
    case "c":
      return { typed, action: { type: "leave", interrupted: true } };
    case "d":
      return typed.text === ""
        ? { typed, action: { type: "leave", interrupted: false } }
        : { typed };
    case "z":
      return { typed, action: { type: "suspend" } };
    case "u":
      return { typed: nothingTyped };
    case "w":
      return { typed: { ...typed, text: typed.text.replace(/\S*\s*$/, "") } };
    default:
      return { typed };
  }
}

function pasted({ name, text }: Key): string {
  return name === "return" || name === "enter" ? "\n" : printable(text, "\t");
}

const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

function shorter(text: string): string {
  const last = [...letters.segment(text)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index);
}

/** Arrows and their like arrive as control sequences, which are no text. */
function printable(text: string, also = ""): string {
  return /^[^\p{Cc}]*$/u.test(text) || text === also ? text : "";
}
