/**
 * The part of an agent's replay that comes after the last entry known to the journal: calls,
 * messages of a person, and the agent's text about them. Only the agent reports it, and it is shown
 * as such.
 */

import type { Replayed } from "../../agents/acp/replay.ts";
import type { Journalled } from "./journalled.ts";
import { continuation, plain } from "./words.ts";

export type Beyond = Replayed;

/** Text that agents replay as a person's message: tags for their model, and notes of their own. */
const agentsOwn = [
  /^<[\w-]+>/,
  /^\[Request interrupted by user/,
  /^Continue from where you left off\.$/,
];

/** Beginnings of the host's own prompts, which contain more than a person's message. */
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
 * New text of a cut-off run: the text that continues the journal's last words. It must continue
 * them, because agents add warnings of their own to a replay. A completed run has no new text.
 */
function goesOn({ last, lastWords }: Journalled, text: string): string {
  const isCutOff = last !== null && (last.outcome === null || last.outcome === "interrupted");
  if (!isCutOff || lastWords.trim() === "") return "";
  const rest = continuation(lastWords, text) ?? "";
  return rest.trim() === "" ? "" : rest;
}
