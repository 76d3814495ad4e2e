/** A session's state in one glyph and one word, and who comes first in a list. */

import type { SessionView } from "@holdfast/protocol";
import { hint } from "./hint.ts";
import { count, type Tone } from "./words.ts";

export interface StateWord {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
  /** Needs you · working · the rest · ended. */
  readonly rank: number;
}

const pausedWord: StateWord = { glyph: "‖", word: "paused", tone: "paused", rank: 2 };

type Judged = Pick<SessionView, "status" | "lifecycle" | "runtime" | "damage">;

export function stateWord({ status, lifecycle, runtime, damage }: Judged): StateWord {
  if (damage !== null) return { glyph: "✗", word: "damaged", tone: "bad", rank: 0 };
  if (lifecycle === "ended") return { glyph: "·", word: "ended", tone: "quiet", rank: 3 };
  if (status === "waiting") return { glyph: "?", word: "needs you", tone: "needs", rank: 0 };
  if (status === "interrupted_startup" || status === "interrupted_waiting") {
    return { glyph: "!", word: "interrupted", tone: "needs", rank: 0 };
  }
  if (runtime.state === "unreachable") {
    return { glyph: "~", word: "unreachable", tone: "paused", rank: 1 };
  }
  // The agent was put away in the middle of a run, which goes on when someone resumes it.
  if (status === "running" && lifecycle === "paused") return pausedWord;
  if (status === "running") return { glyph: "●", word: "working", tone: "alive", rank: 1 };
  if (lifecycle === "creating") return { glyph: "○", word: "new", tone: "quiet", rank: 2 };
  if (lifecycle === "paused") return pausedWord;
  return { glyph: "○", word: "idle", tone: "quiet", rank: 2 };
}

export function byNeed(a: SessionView, b: SessionView): number {
  const rank = stateWord(a).rank - stateWord(b).rank;
  return rank !== 0 ? rank : Date.parse(b.lastActiveAt) - Date.parse(a.lastActiveAt);
}

/** A run goes on in it, at work or waiting for somebody. */
export function isGoing({ status }: Pick<SessionView, "status">): boolean {
  return status === "running" || status === "waiting";
}

type Queueing = Pick<SessionView, "id" | "status" | "lifecycle" | "queued">;

/** Messages that wait though nothing runs, and how they go on; null when there are none. */
export function parkedWords(session: Queueing, id: string = session.id): string | null {
  if (session.queued === 0 || session.lifecycle === "ended" || isGoing(session)) return null;
  return waitingWords(session.queued, id);
}

export function waitingWords(queued: number, id: string): string {
  const wait = queued === 1 ? "waits" : "wait";
  return `${count(queued, "message")} ${wait}; to let go on: ${hint("queue", id, "--release")}`;
}
