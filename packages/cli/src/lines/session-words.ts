/** A session's state as one glyph and one word, and its rank in a list. */

import {
  queuedWords,
  type SessionView,
  type SessionWord,
  stateWords,
  type TonedWord,
} from "@holdfast/protocol";
import { hint } from "../hint.ts";

export interface StateWord extends TonedWord {
  readonly glyph: string;
  /** Order in a list: needs you, working, the rest, ended. */
  readonly rank: number;
}

const marks: Readonly<Record<SessionWord, Pick<StateWord, "glyph" | "rank">>> = {
  waiting: { glyph: "?", rank: 0 },
  interrupted: { glyph: "!", rank: 0 },
  failed: { glyph: "✗", rank: 0 },
  damaged: { glyph: "✗", rank: 0 },
  working: { glyph: "●", rank: 1 },
  unreachable: { glyph: "~", rank: 1 },
  paused: { glyph: "‖", rank: 2 },
  done: { glyph: "○", rank: 2 },
  cancelled: { glyph: "○", rank: 2 },
  dismissed: { glyph: "○", rank: 2 },
  new: { glyph: "○", rank: 2 },
  ended: { glyph: "·", rank: 3 },
};

export const shownWords: readonly string[] = Object.values(stateWords).map(({ word }) => word);

export function stateWord(session: Judged): StateWord {
  const word = Object.hasOwn(marks, session.word) ? session.word : olderWord(session);
  return { ...stateWords[word], ...marks[word] };
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

/** True when a run is in progress: working or waiting for an answer. */
export function isGoing({ status }: Pick<SessionView, "status">): boolean {
  return status === "running" || status === "waiting";
}

type Queueing = Pick<SessionView, "id" | "status" | "lifecycle" | "queued">;

/** For queued messages of a session without a run: their count, and the command that sends them. */
export function parkedWords(session: Queueing, id: string = session.id): string | null {
  if (session.queued === 0 || session.lifecycle === "ended" || isGoing(session)) return null;
  const effect = session.status.startsWith("interrupted") ? ` (${DISMISSES})` : "";
  return `${waitingWords(session.queued, id)}${effect}`;
}

export const DISMISSES = "dismisses the interrupted work";

/** For messages that were sent; the session is the one before. */
export function sentWords({ id, status }: Pick<SessionView, "id" | "status">): string {
  const effect = status.startsWith("interrupted") ? "; the interrupted work is dismissed" : "";
  return `sent${effect}; follow the session with: ${hint("attach", id)}`;
}

/** For interrupted work: the command that continues it, and the effect of a message instead. */
export function interruptedWords(session: Queueing): string[] {
  const { id, status } = session;
  if (!status.startsWith("interrupted")) return [];
  const queue = parkedWords(session);
  const first = queue === null ? "" : "; a new one goes before those that wait";
  return [
    `to continue: ${hint("session continue", id)}`,
    `sending a message ${DISMISSES}${first}`,
    ...(queue === null ? [] : [queue]),
  ];
}

export function waitingWords(queued: number, id: string): string {
  return `${queuedWords(queued)}; to send: ${hint("queue", id, "--release")}`;
}
