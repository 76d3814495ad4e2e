/** A session's state as one glyph and one word, and its group in the list. */

import type { SessionView, SessionWord } from "@holdfast/protocol";

/** One colour per meaning; `quiet` and `strong` are not colours. */
export type Tone = "alive" | "needs" | "lost" | "asleep" | "recovered" | "quiet" | "strong";

export type GlyphName =
  | "needs"
  | "cut"
  | "failed"
  | "working"
  | "unreachable"
  | "paused"
  | "fresh"
  | "idle"
  | "ended"
  | "damaged";

/** Groups in the order of the list. */
export const groups = ["Needs you", "Stopped", "Working", "New", "Paused", "Done"] as const;
export type Group = (typeof groups)[number];

export interface StateWord {
  readonly glyph: GlyphName;
  readonly word: string;
  readonly tone: Tone;
  readonly group: Group;
}

const words: Readonly<Record<SessionWord, StateWord>> = {
  damaged: { glyph: "damaged", word: "damaged", tone: "lost", group: "Stopped" },
  ended: { glyph: "ended", word: "ended", tone: "quiet", group: "Done" },
  waiting: { glyph: "needs", word: "needs you", tone: "needs", group: "Needs you" },
  interrupted: { glyph: "cut", word: "interrupted", tone: "needs", group: "Stopped" },
  failed: { glyph: "failed", word: "failed", tone: "lost", group: "Stopped" },
  unreachable: { glyph: "unreachable", word: "unreachable", tone: "asleep", group: "Working" },
  working: { glyph: "working", word: "working", tone: "alive", group: "Working" },
  // The agent was paused during a run, which continues on resume.
  paused: { glyph: "paused", word: "paused", tone: "asleep", group: "Paused" },
  new: { glyph: "fresh", word: "new", tone: "quiet", group: "New" },
  done: { glyph: "idle", word: "done", tone: "quiet", group: "Done" },
  cancelled: { glyph: "idle", word: "cancelled", tone: "quiet", group: "Done" },
  dismissed: { glyph: "idle", word: "dismissed", tone: "quiet", group: "Done" },
};

export type Judged = Pick<SessionView, "word" | "queued">;

/** The host's word for a session, with its glyph and its group. */
export function stateWord({ word, queued }: Judged): StateWord {
  const state = words[word];
  // Queued messages without a run: a person must send them.
  const isStuck = queued > 0 && (state.group === "Done" || state.group === "New");
  return isStuck && word !== "ended" ? { ...state, group: "Stopped" } : state;
}
