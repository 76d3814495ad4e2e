/** What a key does to the line that is being typed, or to the question that is open. Pure. */

import type { ApprovalDecision, OwnOption } from "@holdfast/protocol";

export interface Key {
  /** What it types; empty for keys that type nothing. */
  readonly text: string;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/** A question that is open: which one, how long it has been there, and the agent's own options. */
export interface Asked {
  readonly id: string;
  readonly shownForMs: number;
  readonly options: readonly OwnOption[];
}

export interface Answer {
  readonly decision: ApprovalDecision;
  /** One of the agent's own options. */
  readonly option?: OwnOption;
}

export interface Typed {
  readonly text: string;
  /** Between the marks of a paste nothing is a command. */
  readonly pasting: boolean;
  /** The line is one key that chose an answer to this question; only Enter, next, gives it. */
  readonly choice: (Answer & { readonly of: string }) | null;
}

export type Action =
  | { readonly type: "send"; readonly text: string }
  | (Answer & { readonly type: "answer" })
  /** The key came with the question: it was meant for something else. */
  | { readonly type: "too_soon" }
  /** It reads like an answer but was not chosen as one: it neither answers nor is sent. */
  | { readonly type: "unclear" }
  /** What was chosen for is no longer asked. */
  | { readonly type: "gone" }
  | { readonly type: "leave"; readonly interrupted: boolean }
  | { readonly type: "suspend" };

export interface Pressed {
  readonly typed: Typed;
  readonly action?: Action;
}

export const nothingTyped: Typed = { text: "", pasting: false, choice: null };

/** Nobody reads a question faster than this. */
const READING_TIME = 500;

const usual: ReadonlyMap<string, Answer> = new Map([
  ["y", { decision: "allow" }],
  ["a", { decision: "allow_always" }],
  ["n", { decision: "deny" }],
]);

/** The most options that one key can choose. */
export const MOST_KEYS = 9;

/** Where the agent has options of its own a number chooses one of them, and only no is left of ours. */
function answersTo({ options }: Asked): ReadonlyMap<string, Answer> {
  if (options.length === 0) return usual;
  const numbered = options
    .slice(0, MOST_KEYS)
    .map((option, i) => [String(i + 1), { decision: option.decision, option }] as const);
  return new Map<string, Answer>([...numbered, ["n", { decision: "deny" }]]);
}

/** `asked` is the open question; null when there is none. */
export function press(typed: Typed, key: Key, asked: Asked | null): Pressed {
  if (key.name === "paste-start") return { typed: { ...typed, pasting: true, choice: null } };
  if (key.name === "paste-end") return { typed: { ...typed, pasting: false } };
  if (typed.pasting) return { typed: { ...typed, text: typed.text + pasted(key) } };
  if (key.ctrl) return control(typed.choice === null ? typed : nothingTyped, key, typed);
  if (key.name === "return" || key.name === "enter") return enter(typed, asked);
  const letter = key.meta ? "" : printable(key.text);
  // Any other key takes the choice back; a letter makes it the beginning of a message.
  if (typed.choice !== null && letter === "") return { typed: nothingTyped };
  if (key.name === "backspace") return { typed: { ...typed, text: shorter(typed.text) } };
  if (key.name === "escape") return { typed: nothingTyped };
  return letter === "" ? { typed } : write(typed, letter, asked);
}

function write({ text, pasting }: Typed, letter: string, asked: Asked | null): Pressed {
  const typed: Typed = { text: text + letter, pasting, choice: null };
  const answer = text === "" && asked !== null ? answersTo(asked).get(letter) : undefined;
  if (asked === null || answer === undefined) return { typed };
  // Kept as text: the next letter would else stand alone and look like a choice.
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
  return { typed: nothingTyped, action: { type: "send", text } };
}

/** `typed` is the line without a choice, which such a key takes back; `was` is the line before. */
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

const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

function shorter(text: string): string {
  const last = [...letters.segment(text)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index);
}

/** Arrows and their like arrive as control sequences, which are no text. */
function printable(text: string, also = ""): string {
  return /^[^\p{Cc}]*$/u.test(text) || text === also ? text : "";
}
