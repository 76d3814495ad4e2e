/** A session's state in one glyph and one word, and the group of the list that it stands in. */

import type { SessionView } from "@holdfast/protocol";

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

export const groups = ["Needs you", "Working", "Stopped", "Paused", "Done"] as const;
export type Group = (typeof groups)[number];

export interface StateWord {
  readonly glyph: GlyphName;
  readonly word: string;
  readonly tone: Tone;
  readonly group: Group;
}

const pausedWord: StateWord = { glyph: "paused", word: "paused", tone: "asleep", group: "Paused" };

export type Judged = Pick<SessionView, "status" | "lifecycle" | "damage" | "queued"> & {
  readonly runtime: Pick<SessionView["runtime"], "state">;
  readonly happening: Pick<NonNullable<SessionView["happening"]>, "kind"> | null;
};

export function stateWord(session: Judged): StateWord {
  const { status, lifecycle, runtime, damage, queued, happening } = session;
  if (damage !== null) {
    return { glyph: "damaged", word: "damaged", tone: "lost", group: "Stopped" };
  }
  if (lifecycle === "ended") return { glyph: "ended", word: "ended", tone: "quiet", group: "Done" };
  if (status === "waiting") {
    return { glyph: "needs", word: "needs you", tone: "needs", group: "Needs you" };
  }
  if (status === "interrupted_startup" || status === "interrupted_waiting") {
    return { glyph: "cut", word: "interrupted", tone: "needs", group: "Stopped" };
  }
  if (runtime.state === "unreachable") {
    return { glyph: "unreachable", word: "unreachable", tone: "asleep", group: "Working" };
  }
  // The agent was put away in the middle of a run, which goes on when someone resumes it.
  if (status === "running" && lifecycle === "paused") return pausedWord;
  if (status === "running") {
    return { glyph: "working", word: "working", tone: "alive", group: "Working" };
  }
  if (lifecycle === "creating")
    return { glyph: "fresh", word: "new", tone: "quiet", group: "Done" };
  if (happening?.kind === "failed") {
    return { glyph: "failed", word: "failed", tone: "lost", group: "Stopped" };
  }
  const rest: StateWord =
    lifecycle === "paused"
      ? pausedWord
      : { glyph: "idle", word: "idle", tone: "quiet", group: "Done" };
  // Nothing runs, so nothing will take them by itself.
  return queued > 0 ? { ...rest, group: "Stopped" } : rest;
}
