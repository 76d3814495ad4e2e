/** The person's messages in a cell, and the model's reactions: see `../model/script.ts`. */

import type { Phase } from "./cells.ts";
import type { Turn } from "./context.ts";

/** A tool call that appends one line for each effect. */
const effect = (word: string) => `shell ${appending(word)}`;
const appending = (word: string) => `echo ${word} >> ${fileOf(word)}`;

/** Path in the workspace. */
export const fileOf = (word: string): string => `${word}.txt`;

/** The turn to be remembered: with a tool, a question, and an end. */
export const first = {
  words: `Apples. [[tool ${effect("apples")}]]`,
  prompt: "Apples.",
  call: appending("apples"),
  answer: `Done: ${effect("apples")}.`,
} as const satisfies Turn & { words: string };

/** The message of the turn that the kill interrupts; null when the kill comes after a turn. */
export const underWay: Readonly<Record<Phase, string | null>> = {
  turn: null,
  stream: "Plums. [[slow 20]]",
  tool: `Plums. [[once ${effect("plums")}]]`,
  // It runs until it is killed.
  open: "Plums. [[tool shell tail -f /dev/null >> open.txt]]",
  permission: `Plums. [[tool ${effect("plums")}]]`,
};

/** The last turn, which shows that the session works again. */
export const last = "Pears. [[text Pears it is.]]";
export const lastPrompt = "Pears.";

/** The kill comes after this word, in the middle of the reply. */
export const midStream = "word-3";

/** Parts of the interrupted turn that the prompt of Continue must contain. */
export const continued: Readonly<Record<Phase, readonly string[]>> = {
  turn: [],
  stream: ["Plums.", "word-1 word-2"],
  tool: ["Plums."],
  open: ["Plums."],
  permission: ["Plums.", "ALLOWED"],
};

/** The beginning of every prompt that continues interrupted work. */
export const continuing = "[SESSION_RESUMED]";

/** The tools whose effects are counted. */
export const effects: Readonly<Record<Phase, readonly string[]>> = {
  turn: ["apples"],
  stream: ["apples"],
  tool: ["apples", "plums"],
  open: ["apples"],
  permission: ["apples", "plums"],
};
export const plums: Pick<Turn, "call"> = { call: appending("plums") };
