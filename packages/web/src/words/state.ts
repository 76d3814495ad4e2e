/** A session's state as one glyph and one word, and its group in the list. */

import { type SessionView, type SessionWord, stateWords, type TonedWord } from "@holdfast/protocol";

export const groups = ["Needs you", "Stopped", "Working", "New", "Paused", "Done"] as const;
export type Group = (typeof groups)[number];

const marks = {
  damaged: { glyph: "damaged", group: "Stopped" },
  ended: { glyph: "ended", group: "Done" },
  waiting: { glyph: "needs", group: "Needs you" },
  interrupted: { glyph: "cut", group: "Stopped" },
  failed: { glyph: "failed", group: "Stopped" },
  unreachable: { glyph: "unreachable", group: "Working" },
  working: { glyph: "working", group: "Working" },
  paused: { glyph: "paused", group: "Paused" },
  new: { glyph: "fresh", group: "New" },
  done: { glyph: "idle", group: "Done" },
  cancelled: { glyph: "idle", group: "Done" },
  dismissed: { glyph: "idle", group: "Done" },
} as const satisfies Record<SessionWord, { readonly glyph: string; readonly group: Group }>;

export type GlyphName = (typeof marks)[SessionWord]["glyph"];

export interface StateWord extends TonedWord {
  readonly glyph: GlyphName;
  readonly group: Group;
}

export type Judged = Pick<SessionView, "word" | "queued">;

export function stateWord({ word, queued }: Judged): StateWord {
  const state: StateWord = { ...stateWords[word], ...marks[word] };
  // Queued messages without a run: a person must send them.
  const isStuck = queued > 0 && (state.group === "Done" || state.group === "New");
  return isStuck && word !== "ended" ? { ...state, group: "Stopped" } : state;
}
