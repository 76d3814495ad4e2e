/**
 * Verified resume: compares an agent's replay of its session with the journal. Tool call ids and
 * the person's messages are compared in order, answers of completed runs in any order. Counts, or
 * the agent's claim that it loaded a session, are not enough.
 */

import type { Replayed } from "../../agents/acp/replay.ts";
import { type Beyond, beyond } from "./beyond.ts";
import type { Anchor, Journalled } from "./journalled.ts";
import { continuation, plain } from "./words.ts";

export type Verdict =
  /** The replay has everything that the journal has, and no more. */
  | { readonly grade: "verified" }
  /** Some entries of the journal are missing; the next prompt repeats them. */
  | { readonly grade: "partial"; readonly missing: readonly Anchor[] }
  /** The replay has everything, and more than the journal. */
  | { readonly grade: "ahead"; readonly beyond: readonly Beyond[] }
  /** The replay has no entry of the journal: it is another conversation. */
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

/** True when the replay is verified and includes the journal's last words. */
export function isWhole(journal: Journalled, replay: readonly Replayed[]): boolean {
  const last = replay.at(-1);
  const said = last?.type === "agent" ? last.text : "";
  return (
    continuation(journal.lastWords, said) !== null && verify(journal, replay).grade === "verified"
  );
}

/**
 * Finds answers without regard to order and spaces, because agents put warnings and thoughts
 * between them. A missing answer shows that the agent's file lost a line.
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

/** Characters of an answer that are compared, and missing answers that end the search. */
const COMPARED_ANSWER = 200;
const ENOUGH = 20;

/** The position of the comparison: an entry of the replay, and an offset into its text. */
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
    // Agents wrap a person's message in text of their own, and join two messages into one.
    const found = words[at]?.indexOf(text, at === from.at ? from.offset : 0) ?? -1;
    if (found >= 0) return { at, offset: found + text.length };
  }
  return null;
}

/** Compared characters of a message; the journal keeps the beginning of a long one. */
const COMPARED = 2000;
