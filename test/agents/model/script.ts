/**
 * What the model answers. It keeps nothing: the last tag in what the user said and the tool results
 * since then decide, so that any process may be killed and started again in between.
 *
 *     [[text WORDS]]              says the words
 *     [[tool write FILE]]         writes a file, then says so; also [[tool shell COMMAND]]
 *     [[tool-then-hang write FILE]]  writes it, then begins to speak and never ends
 *     [[slow N]]                  says N words with a pause before each
 *     [[hang]]                    begins to speak and never ends
 *     [[error N]], [[401]]        refuses with this HTTP status
 *     [[overloaded]]              refuses as the provider does when it is overloaded
 *     [[refusal]]                 will not do it
 */

import { type Asked, type Entry, type OfferedTool, textOf } from "./conversation.ts";
import { callOf, type ToolWish } from "./tools.ts";

export type Part =
  | { readonly text: string }
  | { readonly call: { readonly name: string; readonly input: unknown } };

export interface Said {
  readonly kind: "says";
  readonly parts: readonly Part[];
  readonly pace: "at once" | "slow" | "hangs";
  readonly stop: "end" | "tool" | "refusal";
}

export interface Failed {
  readonly kind: "fails";
  readonly why: number | "overloaded";
}

export type Reply = Said | Failed;

/** `[[word rest]]`. */
export interface Tag {
  readonly word: string;
  readonly rest: string;
}

interface Turn {
  readonly tag: Tag;
  /** How many tool results came since. */
  readonly results: number;
}

const SLOW_WORDS = 20;
const sideWords = "A short title";

/** Agents ask without tools only for titles and summaries, whatever the user wants meanwhile. */
export const isSide = ({ tools }: Asked): boolean => tools.length === 0;

export function replyTo(asked: Asked): Reply {
  if (isSide(asked)) return says(sideWords);
  const turn = turnOf(asked.conversation);
  return turn === null ? says("There was no tag.") : perform(turn, asked.tools);
}

export function turnOf(conversation: readonly Entry[]): Turn | null {
  const index = conversation.findLastIndex((entry) => entry.role === "user" && tagOf(entry));
  const entry = conversation[index];
  const tag = entry && tagOf(entry);
  if (!tag) return null;
  const results = conversation.slice(index).filter(({ role }) => role === "tool").length;
  return { tag, results };
}

/** The last one, as a prompt may tell the earlier history before it. */
function tagOf(entry: Entry): Tag | null {
  const [, word, rest = ""] =
    [...textOf(entry).matchAll(/\[\[([a-z0-9-]+)\s*(.*?)\]\]/g)].at(-1) ?? [];
  return word === undefined ? null : { word, rest };
}

function perform({ tag: { word, rest }, results }: Turn, tools: readonly OfferedTool[]): Reply {
  switch (word) {
    case "text":
      return says(rest || "Hello.");
    case "tool":
      return results > 0 ? says(`Done: ${rest}.`) : uses(wishOf(rest), tools);
    case "tool-then-hang":
      return results > 0 ? hangs : uses(wishOf(rest), tools);
    case "slow":
      return { ...says(counted(Number(rest) || SLOW_WORDS)), pace: "slow" };
    case "hang":
      return hangs;
    case "error":
      return { kind: "fails", why: Number(rest) };
    case "401":
      return { kind: "fails", why: 401 };
    case "overloaded":
      return { kind: "fails", why: "overloaded" };
    case "refusal":
      return { ...says("I will not do that."), stop: "refusal" };
    default:
      return says(`There is no tag ${word}.`);
  }
}

const says = (text: string): Said => ({
  ...{ kind: "says", parts: [{ text }], pace: "at once", stop: "end" },
});

const hangs: Said = { ...says("I begin, and never come to the"), pace: "hangs" };

function uses(wish: ToolWish | null, tools: readonly OfferedTool[]): Said {
  const call = wish && callOf(wish, tools);
  if (!call) return says("There is no tool for that.");
  return { ...says(""), parts: [{ text: "I use a tool. " }, { call }], stop: "tool" };
}

function wishOf(rest: string): ToolWish | null {
  const [, kind, what = ""] = /^(write|shell) (.+)$/s.exec(rest) ?? [];
  if (kind === "write") return { kind, file: what };
  return kind === "shell" ? { kind, command: what } : null;
}

function counted(words: number): string {
  return Array.from({ length: words }, (_, i) => `word-${i + 1}`).join(" ");
}
