/** What the person says in a cell, and what the model does about it: see `../model/script.ts`. */

import type { Phase } from "./cells.ts";
import type { Turn } from "./context.ts";

/** A tool call whose every effect is one more line. */
const effect = (word: string) => `shell ${appending(word)}`;
const appending = (word: string) => `echo ${word} >> ${fileOf(word)}`;

/** In the workspace. */
export const fileOf = (word: string): string => `${word}.txt`;

/** The turn that is to be remembered: with a tool, a question, and an end. */
export const first = {
  words: `Apples. [[tool ${effect("apples")}]]`,
  ...{ prompt: "Apples.", call: appending("apples"), answer: `Done: ${effect("apples")}.` },
} as const satisfies Turn & { words: string };

/** The turn that is under way at the kill; after a turn there is none. */
export const underWay: Readonly<Record<Phase, string | null>> = {
  turn: null,
  stream: "Plums. [[slow 20]]",
  tool: `Plums. [[once ${effect("plums")}]]`,
  // It ends with whoever ends it.
  open: "Plums. [[tool shell tail -f /dev/null >> open.txt]]",
  permission: `Plums. [[tool ${effect("plums")}]]`,
};

/** The turn behind it all: whoever has come so far is in use again. */
export const last = "Pears. [[text Pears it is.]]";
export const lastPrompt = "Pears.";

/** When this was said the kill comes: some of the reply is there, and most is not. */
export const midStream = "word-3";

/** Of the turn under way, what the model must find in the prompt that continues it. */
export const continued: Readonly<Record<Phase, readonly string[]>> = {
  turn: [],
  stream: ["Plums.", "word-1 word-2"],
  tool: ["Plums."],
  open: ["Plums."],
  permission: ["Plums.", "ALLOWED"],
};

/** How every prompt begins that lets interrupted work go on. */
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
