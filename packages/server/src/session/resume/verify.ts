/**
 * Verified resume: what an agent replays of its session, held against the journal. Compared are the
 * ids of tool calls and the words of the person, in order, and the answers of runs that completed,
 * never counts alone: an agent that says that it loaded a session is not believed.
 */

import type { Replayed } from "../../agents/replay.ts";
import { type Beyond, beyond } from "./beyond.ts";
import type { Anchor, Journalled } from "./journalled.ts";
import { continuation, plain } from "./words.ts";

export type Verdict =
  /** Everything the journal knows is there, and nothing more. */
  | { readonly grade: "verified" }
  /** Of what the journal knows some is missing, and must be told. */
  | { readonly grade: "partial"; readonly missing: readonly Anchor[] }
  /** All is there, and more than the journal knows. */
  | { readonly grade: "ahead"; readonly beyond: readonly Beyond[] }
  /** Nothing of what the journal knows is there: it is another conversation. */
  | { readonly grade: "lost" };

export function verify(journal: Journalled, replay: readonly Replayed[]): Verdict {
  const anchors = journal.anchors.filter(({ type }) => type !== "answer");
  const missing: Anchor[] = [];
  const words = replay.map((entry) => (entry.type === "user" ? plain(entry.text) : ""));
  let place: Place = { at: 0, offset: 0 };
  for (const anchor of anchors) {
    const found = placeOf(anchor, replay, words, place);
    if (found === null) missing.push(anchor);
    else place = found;
  }
  if (anchors.length > 0 && missing.length === anchors.length) return { grade: "lost" };
  missing.push(...missingAnswers(journal.anchors, replay));
  if (missing.length > 0) return { grade: "partial", missing };
  const news = beyond(journal, replay.slice(place.offset > 0 ? place.at + 1 : place.at));
  return news.length > 0 ? { grade: "ahead", beyond: news } : { grade: "verified" };
}

/** Whether nothing more is to come: it is verified, and the last words are there as well. */
export function isWhole(journal: Journalled, replay: readonly Replayed[]): boolean {
  const last = replay.at(-1);
  const said = last?.type === "agent" ? last.text : "";
  return (
    continuation(journal.lastWords, said) !== null && verify(journal, replay).grade === "verified"
  );
}

/**
 * Answers are looked for without their order or their spaces: agents put warnings and thoughts between
 * them. A file of the agent's that lost a line shows by this.
 */
function missingAnswers(anchors: readonly Anchor[], replay: readonly Replayed[]): Anchor[] {
  const answers = anchors.filter((anchor) => anchor.type === "answer");
  if (answers.length === 0) return [];
  const said = replay.map((entry) => (entry.type === "agent" ? bare(entry.text) : "")).join("");
  const missing: Anchor[] = [];
  let at = 0;
  for (const answer of answers) {
    const text = bare(answer.text).slice(0, COMPARED_ANSWER);
    const ahead = said.indexOf(text, at);
    const found = ahead < 0 ? said.indexOf(text) : ahead;
    if (found < 0) missing.push(answer);
    else at = found;
    if (missing.length >= ENOUGH) break;
  }
  return missing;
}

const bare = (text: string) => text.replaceAll(/\s+/g, "");

/** As much of an answer as is compared, and as many as it takes to tell all from there on. */
const COMPARED_ANSWER = 200;
const ENOUGH = 20;

/** Where the comparison stands: an entry of the replay, and how far into its words. */
interface Place {
  readonly at: number;
  readonly offset: number;
}

function placeOf(
  anchor: Anchor,
  replay: readonly Replayed[],
  words: readonly string[],
  from: Place,
): Place | null {
  const text = anchor.type === "user" ? plain(anchor.text).slice(0, COMPARED) : "";
  for (let at = from.at; at < replay.length; at++) {
    const entry = replay[at] as Replayed;
    if (anchor.type === "tool") {
      if (entry.type !== "tool" || entry.toolCallId !== anchor.toolCallId) continue;
      return { at: at + 1, offset: 0 };
    }
    if (entry.type !== "user") continue;
    // Agents wrap what a person said in words of their own, and put two messages into one.
    const found = words[at]?.indexOf(text, at === from.at ? from.offset : 0) ?? -1;
    if (found >= 0) return { at, offset: found + text.length };
  }
  return null;
}

/** As much of a message as is compared: the journal itself keeps only the beginning of a long one. */
const COMPARED = 2000;
