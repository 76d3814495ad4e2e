/** A session's state in a word, with its tone; page and CLI add their own glyphs. */

import type { SessionWord } from "../vocabulary.ts";
import type { SessionView } from "../wire/shapes.ts";
import { count } from "./measures.ts";

/**
 * One colour per meaning; `quiet` and `strong` are not colours. A tone always accompanies a word or
 * glyph that says the same.
 */
export type Tone = "alive" | "needs" | "lost" | "asleep" | "recovered" | "quiet" | "strong";

export interface TonedWord {
  readonly word: string;
  readonly tone: Tone;
}

export const stateWords: Readonly<Record<SessionWord, TonedWord>> = {
  waiting: { word: "needs you", tone: "needs" },
  interrupted: { word: "interrupted", tone: "needs" },
  failed: { word: "failed", tone: "lost" },
  damaged: { word: "damaged", tone: "lost" },
  working: { word: "working", tone: "alive" },
  unreachable: { word: "unreachable", tone: "asleep" },
  // The agent was paused during a run, which continues on resume.
  paused: { word: "paused", tone: "asleep" },
  new: { word: "new", tone: "quiet" },
  done: { word: "done", tone: "quiet" },
  cancelled: { word: "cancelled", tone: "quiet" },
  dismissed: { word: "dismissed", tone: "quiet" },
  ended: { word: "ended", tone: "quiet" },
};

/** The time beside a session in a list: since when it needs a person, else its last activity. */
export function listedTime({ need, lastActiveAt }: Timed): string {
  return need?.since ?? lastActiveAt;
}

type Timed = Pick<SessionView, "need" | "lastActiveAt">;

/** "2 messages wait", for queued messages of a session without a run. */
export function queuedWords(queued: number): string {
  return `${count(queued, "message")} ${queued === 1 ? "waits" : "wait"}`;
}
