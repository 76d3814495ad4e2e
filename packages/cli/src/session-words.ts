/** A session's state as one glyph and one word, and its rank in a list. */

import { count, type SessionView, type SessionWord } from "@holdfast/protocol";
import { hint } from "./hint.ts";
import type { Tone } from "./words.ts";

export interface StateWord {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
  /** Order in a list: needs you, working, the rest, ended. */
  readonly rank: number;
}

const words: Readonly<Record<SessionWord, StateWord>> = {
  waiting: { glyph: "?", word: "needs you", tone: "needs", rank: 0 },
  interrupted: { glyph: "!", word: "interrupted", tone: "needs", rank: 0 },
  failed: { glyph: "✗", word: "failed", tone: "bad", rank: 0 },
  damaged: { glyph: "✗", word: "damaged", tone: "bad", rank: 0 },
  working: { glyph: "●", word: "working", tone: "alive", rank: 1 },
  unreachable: { glyph: "~", word: "unreachable", tone: "paused", rank: 1 },
  paused: { glyph: "‖", word: "paused", tone: "paused", rank: 2 },
  done: { glyph: "○", word: "done", tone: "quiet", rank: 2 },
  cancelled: { glyph: "○", word: "cancelled", tone: "quiet", rank: 2 },
  dismissed: { glyph: "○", word: "dismissed", tone: "quiet", rank: 2 },
  new: { glyph: "○", word: "new", tone: "quiet", rank: 2 },
  ended: { glyph: "·", word: "ended", tone: "quiet", rank: 3 },
};

export function stateWord(session: Judged): StateWord {
  return words[session.word] ?? words[olderWord(session)];
}

type Judged = Pick<SessionView, "word"> & Partial<Pick<SessionView, "status" | "lifecycle">>;

/** The word for a session of an older host, which does not send one. */
function olderWord({ status, lifecycle }: Judged): SessionWord {
  if (lifecycle === "ended") return "ended";
  if (status === "waiting") return "waiting";
  if (status?.startsWith("interrupted") === true) return "interrupted";
  return status === "running" ? "working" : "done";
}

export function byNeed(a: SessionView, b: SessionView): number {
  const rank = stateWord(a).rank - stateWord(b).rank;
  return rank !== 0 ? rank : Date.parse(b.lastActiveAt) - Date.parse(a.lastActiveAt);
}

/** The time since the session began to need a person, or since its last activity. */
export function sinceOf({
  need,
  lastActiveAt,
}: Pick<SessionView, "need" | "lastActiveAt">): string {
  return need?.since ?? lastActiveAt;
}

/** True when a run is in progress: working or waiting for an answer. */
export function isGoing({ status }: Pick<SessionView, "status">): boolean {
  return status === "running" || status === "waiting";
}

type Queueing = Pick<SessionView, "id" | "status" | "lifecycle" | "queued">;

/** For queued messages of a session without a run: their count, and the command that sends them. */
export function parkedWords(session: Queueing, id: string = session.id): string | null {
  if (session.queued === 0 || session.lifecycle === "ended" || isGoing(session)) return null;
  return waitingWords(session.queued, id);
}

export function waitingWords(queued: number, id: string): string {
  const wait = queued === 1 ? "waits" : "wait";
  return `${count(queued, "message")} ${wait}; to let go on: ${hint("queue", id, "--release")}`;
}
