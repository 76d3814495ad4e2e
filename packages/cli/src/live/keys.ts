/** Applies a key to the input line or to the open question. Pure. */

import type { ApprovalDecision, OwnOption } from "@holdfast/protocol";
import { lettersOf } from "../output/letters.ts";

export interface Key {
  /** The text of the key; empty for keys such as arrows. */
  readonly text: string;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/** An open question: its id, the time since it was shown, and the agent's own options. */
export interface Asked {
  readonly id: string;
  readonly shownForMs: number;
  readonly options: readonly OwnOption[];
}

export interface Answer {
  readonly decision: ApprovalDecision;
  /** Set when the answer is one of the agent's own options. */
  readonly option?: OwnOption;
}

export interface Typed {
  readonly text: string;
  /** True inside a paste, where every key is text. */
  readonly pasting: boolean;
  /** The answer that the line's key or number chose; only Enter as the next key gives it. */
  readonly choice: (Answer & { readonly of: string }) | null;
}

export type Action =
  | { readonly type: "send"; readonly text: string }
  | (Answer & { readonly type: "answer" })
  /** The key came right after the question appeared, so it was probably meant for the message. */
  | { readonly type: "too_soon" }
  /** The line reads like an answer but was not chosen as one: it neither answers nor is sent. */
  | { readonly type: "unclear" }
  /** The line is a number, but the open question has no such option: it is not sent. */
  | { readonly type: "not_offered"; readonly numbers: string }
  /** The question that the choice was for is no longer open. */
  | { readonly type: "gone" }
  | { readonly type: "leave"; readonly interrupted: boolean }
  | { readonly type: "suspend" };

interface Pressed {
  readonly typed: Typed;
  readonly action?: Action;
}

export const nothingTyped: Typed = { text: "", pasting: false, choice: null };

/** The least time in ms that a person needs to read a question. */
const READING_TIME = 500;

const usual: ReadonlyMap<string, Answer> = new Map([
  ["y", { decision: "allow" }],
  ["a", { decision: "allow_always" }],
  ["n", { decision: "deny" }],
]);

/** The numbers that choose among the options: `1–12`. */
export const numbersOf = ({ length }: readonly OwnOption[]): string =>
  length === 1 ? "1" : `1–${length}`;

/** The answer of each line. Numbers choose among the agent's own options; `n` still denies. */
function answersTo({ options }: Asked): ReadonlyMap<string, Answer> {
  if (options.length === 0) return usual;
  const numbered = options.map(
    (option, i) => [String(i + 1), { decision: option.decision, option }] as const,
  );
  return new Map<string, Answer>([...numbered, ["n", { decision: "deny" }]]);
}

/** `asked` is the open question; null when no question is open. */
export function press(typed: Typed, key: Key, asked: Asked | null): Pressed {
  if (key.name === "paste-start") return { typed: { ...typed, pasting: true, choice: null } };
  if (key.name === "paste-end") return { typed: { ...typed, pasting: false } };
  if (typed.pasting) return { typed: { ...typed, text: typed.text + pasted(key) } };
  if (key.ctrl) return control(typed.choice === null ? typed : nothingTyped, key, typed);
  if (key.name === "return" || key.name === "enter") return enter(typed, asked);
  const letter = key.meta ? "" : printable(key.text);
  // Any other key cancels the choice; a letter turns it into the start of a message.
  if (typed.choice !== null && letter === "") return { typed: nothingTyped };
  if (key.name === "backspace") return { typed: { ...typed, text: shorter(typed.text) } };
  if (key.name === "escape") return { typed: nothingTyped };
  return letter === "" ? { typed } : write(typed, letter, asked);
}

function write(was: Typed, letter: string, asked: Asked | null): Pressed {
  const typed: Typed = { text: was.text + letter, pasting: was.pasting, choice: null };
  // The second digit of a number continues the choice that the first one made.
  const isChoosing = was.text === "" || (was.choice !== null && was.choice.of === asked?.id);
  const answer = isChoosing && asked !== null ? answersTo(asked).get(typed.text) : undefined;
  if (asked === null || answer === undefined) return { typed };
  // The letter stays as text: otherwise the next letter would stand alone and look like a choice.
  if (asked.shownForMs < READING_TIME) return { typed, action: { type: "too_soon" } };
  return { typed: { ...typed, choice: { ...answer, of: asked.id } } };
}

function enter(typed: Typed, asked: Asked | null): Pressed {
  const { choice } = typed;
  if (choice !== null) {
    const { of, ...answer } = choice;
    const isAsked = asked?.id === of;
    return {
      typed: nothingTyped,
      action: isAsked ? { type: "answer", ...answer } : { type: "gone" },
    };
  }
  const text = typed.text.trim();
  if (text === "") return { typed: nothingTyped };
  const isLike = asked !== null && (usual.has(text) || answersTo(asked).has(text));
  if (isLike) return { typed, action: { type: "unclear" } };
  if (asked !== null && asked.options.length > 0 && /^\d+$/.test(text)) {
    return { typed, action: { type: "not_offered", numbers: numbersOf(asked.options) } };
  }
  return { typed: nothingTyped, action: { type: "send", text } };
}

/** `typed` is `was` without its choice, which a control key cancels. */
function control(typed: Typed, { name }: Key, was: Typed): Pressed {
  switch (name) {
    case "c":
      return { typed, action: { type: "leave", interrupted: true } };
    case "d":
      return was.text === "" ? { typed, action: { type: "leave", interrupted: false } } : { typed };
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

function shorter(text: string): string {
  return lettersOf(text).slice(0, -1).join("");
}

/** Arrow keys and the like arrive as control sequences, which are dropped. */
function printable(text: string, also = ""): string {
  return /^[^\p{Cc}]*$/u.test(text) || text === also ? text : "";
}
