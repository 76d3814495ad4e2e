/**
 * What an agent's replay holds behind the last thing that the journal knows as well: calls, words of
 * a person, and what it said about them. It is the agent's word alone, and is shown as such.
 */

import type { Replayed } from "../../agents/replay.ts";
import type { Journalled } from "./journalled.ts";
import { continuation, plain } from "./words.ts";

/** The part of a replay that is news. */
export type Beyond = Replayed;

/** Words that agents put into the person's mouth: to their model they speak in tags. */
const agentsOwn = [
  /^<[\w-]+>/,
  /^\[Request interrupted by user/,
  /^Continue from where you left off\.$/,
];

/** How our own prompts begin that are more than a person's words. */
const hosts = [/^RESUME CONTEXT FOR CONTINUING TASK/, /^\[SESSION_RESUMED\]/];

export function beyond(journal: Journalled, behind: readonly Replayed[]): Beyond[] {
  const news: Beyond[] = [];
  const prompt = behind.findLastIndex(
    (entry) => entry.type === "user" && isOurs(journal, entry.text),
  );
  for (const [at, entry] of behind.entries()) {
    if (entry.type !== "agent") {
      if (isNews(journal, entry)) news.push(entry);
    } else if (news.length > 0) {
      news.push(entry);
    } else if (at > prompt) {
      const text = goesOn(journal, entry.text);
      if (text !== "") news.push({ type: "agent", text });
    }
  }
  return news;
}

function isNews(journal: Journalled, entry: Exclude<Replayed, { type: "agent" }>): boolean {
  if (entry.type === "tool") return !journal.calls.has(entry.toolCallId);
  const text = entry.text.trim();
  return !isOurs(journal, text) && !agentsOwn.some((words) => words.test(text));
}

function isOurs({ words }: Journalled, text: string): boolean {
  return words.has(plain(text)) || hosts.some((begins) => begins.test(text.trim()));
}

/**
 * Words alone are news only of a run that was cut off, and only where they go on from what the
 * journal heard of it, as an orphan's do that finished its sentence: a run that completed said all
 * it had to say, and agents put warnings of their own into a replay, which begin otherwise.
 */
function goesOn({ last, lastWords }: Journalled, text: string): string {
  const isCutOff = last !== null && (last.outcome === null || last.outcome === "interrupted");
  if (!isCutOff || lastWords.trim() === "") return "";
  const rest = continuation(lastWords, text) ?? "";
  return rest.trim() === "" ? "" : rest;
}
