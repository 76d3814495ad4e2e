/**
 * Verified resume: what an agent replays of its session, held against the journal. Compared are the
 * ids of tool calls and the words of the person, in order, never counts alone: an agent that says
 * that it loaded a session is not believed.
 */

import type { Message, Transcript } from "@holdfast/protocol";
import type { Replayed } from "../../agents/replay.ts";

/** Something that both sides must know: a message of the person, or a call by its id. */
export type Anchor = (
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "tool"; readonly toolCallId: string; readonly name: string }
) & {
  /** Of the message it is in. */
  readonly seq: number;
};

export type Verdict =
  /** Everything the journal knows is there, and nothing more. */
  | { readonly grade: "verified" }
  /** Of what the journal knows some is missing, and must be told. */
  | { readonly grade: "partial"; readonly missing: readonly Anchor[] }
  /** All is there, and more than the journal knows. */
  | { readonly grade: "ahead"; readonly beyond: readonly Replayed[] }
  /** Nothing of what the journal knows is there: it is another conversation. */
  | { readonly grade: "lost" };

export function verify(journal: readonly Anchor[], replay: readonly Replayed[]): Verdict {
  const missing: Anchor[] = [];
  let place: Place = { at: 0, offset: 0 };
  for (const anchor of journal) {
    const found = placeOf(anchor, replay, place);
    if (found === null) missing.push(anchor);
    else place = found;
  }
  if (journal.length > 0 && missing.length === journal.length) return { grade: "lost" };
  if (missing.length > 0) return { grade: "partial", missing };
  const beyond = newBehind(replay, place);
  return beyond.length > 0 ? { grade: "ahead", beyond } : { grade: "verified" };
}

/** What the agent's own session must know: of the runs whose prompt it was that took. */
export function anchorsOf({ messages, runs }: Transcript, agentSessionId: string): Anchor[] {
  const taken = new Set(
    runs.filter((run) => run.agentSessionId === agentSessionId).map(({ id }) => id),
  );
  return messages
    .filter(({ runId, rewound }) => runId !== null && taken.has(runId) && !rewound)
    .flatMap(anchorsIn);
}

function anchorsIn({ role, contentParts, seq }: Message): Anchor[] {
  return contentParts.flatMap((part): Anchor[] => {
    if (part.type === "tool") {
      return [{ type: "tool", toolCallId: part.toolCallId, name: part.name, seq }];
    }
    return role === "user" && part.type === "text" ? [{ type: "user", text: part.text, seq }] : [];
  });
}

/** Where the comparison stands: an entry of the replay, and how far into its words. */
interface Place {
  readonly at: number;
  readonly offset: number;
}

function placeOf(anchor: Anchor, replay: readonly Replayed[], from: Place): Place | null {
  for (let at = from.at; at < replay.length; at++) {
    const entry = replay[at] as Replayed;
    if (anchor.type === "tool") {
      if (entry.type !== "tool" || entry.toolCallId !== anchor.toolCallId) continue;
      return { at: at + 1, offset: 0 };
    }
    if (entry.type !== "user") continue;
    // Agents wrap what a person said in words of their own, and put two messages into one.
    const words = plain(anchor.text).slice(0, COMPARED);
    const found = plain(entry.text).indexOf(words, at === from.at ? from.offset : 0);
    if (found >= 0) return { at, offset: found + words.length };
  }
  return null;
}

/** As much of a message as is compared: the journal itself keeps only the beginning of a long one. */
const COMPARED = 2000;

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Words that agents put into the person's mouth when they were cut off. */
const ownWords = [/^<turn_aborted>/, /^<session_context>/, /^Continue from where you left off\.$/];

/** Calls and words of the person behind the last thing that both know. */
function newBehind(replay: readonly Replayed[], { at, offset }: Place): readonly Replayed[] {
  return replay.slice(offset > 0 ? at + 1 : at).filter((entry) => {
    if (entry.type === "agent") return false;
    return entry.type === "tool" || !ownWords.some((words) => words.test(entry.text.trim()));
  });
}
