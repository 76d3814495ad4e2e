/** A session's state in one glyph and one word, and the group of the list that it stands in. */

import type { SessionView, SessionWord } from "@holdfast/protocol";

/** One hue per meaning; `quiet` and `strong` are none. */
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

/** What needs somebody comes first. */
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
  // The agent was put away in the middle of a run, which goes on when someone resumes it.
  paused: { glyph: "paused", word: "paused", tone: "asleep", group: "Paused" },
  new: { glyph: "fresh", word: "new", tone: "quiet", group: "New" },
  done: { glyph: "idle", word: "done", tone: "quiet", group: "Done" },
  cancelled: { glyph: "idle", word: "cancelled", tone: "quiet", group: "Done" },
  dismissed: { glyph: "idle", word: "dismissed", tone: "quiet", group: "Done" },
};

export type Judged = Pick<SessionView, "word" | "queued">;

/** The host's own word of a session, with its glyph and its group. */
export function stateWord({ word, queued }: Judged): StateWord {
  const state = words[word];
  // Nothing runs, so nothing will send the messages that wait.
  const isStuck = queued > 0 && (state.group === "Done" || state.group === "New");
  return isStuck && word !== "ended" ? { ...state, group: "Stopped" } : state;
}
