/**
 * The model's answers. The model is stateless: the last tag in the user's messages and the tool
 * results since then decide, so that any process may be killed and restarted in between.
 *
 *     [[text WORDS]]              says the words
 *     [[tool write FILE]]         writes a file, then says so; also [[tool shell COMMAND]]
 *     [[tool-then-hang write FILE]]  writes it, then starts its answer and never ends it
 *     [[once write FILE]]         writes it unless it was written before, then speaks slowly
 *     [[slow N]]                  says N words with a pause before each; asked again, all at once
 *     [[hang]]                    starts its answer and never ends it
 *     [[error N]], [[401]]        refuses with this HTTP status
 *     [[overloaded]]              refuses as the provider does when it is overloaded
 *     [[refusal]]                 declines
 */

import { nativeTrace, toldTrace } from "./calls.ts";
import { type Asked, type Entry, type OfferedTool, saidBy, textOf } from "./conversation.ts";
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
  /** Number of tool results since the tag. */
  readonly results: number;
  /** True when the same tag was used before. */
  readonly isAgain: boolean;
}

const SLOW_WORDS = 20;
const sideWords = "A short title";

/** True for titles and summaries: agents request these without tools. */
export const isSide = ({ tools }: Asked): boolean => tools.length === 0;

export function replyTo(asked: Asked): Reply {
  if (isSide(asked)) return says(sideWords);
  const turn = turnOf(asked.conversation);
  return turn === null ? says("There was no tag.") : perform(turn, asked);
}

export function turnOf(conversation: readonly Entry[]): Turn | null {
  const index = conversation.findLastIndex((entry) => entry.role === "user" && tagOf(entry));
  const entry = conversation[index];
  const tag = entry && tagOf(entry);
  if (!tag) return null;
  const results = conversation.slice(index).filter(({ role }) => role === "tool").length;
  return { tag, results, isAgain: isSaidTwice(conversation.slice(0, index + 1), tag) };
}

function isSaidTwice(conversation: readonly Entry[], { word, rest }: Tag): boolean {
  const said = saidBy("user", conversation).join("\n");
  return said.split(`[[${`${word} ${rest}`.trim()}]]`).length > 2;
}

/** The last tag of a message; a prompt may repeat the earlier history before it. */
function tagOf(entry: Entry): Tag | null {
  const [, word, rest = ""] =
    [...textOf(entry).matchAll(/\[\[([a-z0-9-]+)\s*(.*?)\]\]/g)].at(-1) ?? [];
  return word === undefined ? null : { word, rest };
}

function perform(turn: Turn, { conversation, tools }: Asked): Reply {
  const { results, isAgain } = turn;
  const { word, rest } = turn.tag;
  switch (word) {
    case "text":
      return says(rest || "Hello.");
    case "tool":
      return results > 0 ? says(`Done: ${rest}.`) : uses(wishOf(rest), tools);
    case "tool-then-hang":
      return results > 0 ? hangs : uses(wishOf(rest), tools);
    case "once":
      return isDone(wishOf(rest), conversation)
        ? speaks(SLOW_WORDS, isAgain)
        : uses(wishOf(rest), tools);
    case "slow":
      return speaks(Number(rest) || SLOW_WORDS, isAgain);
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
  kind: "says",
  parts: [{ text }],
  pace: "at once",
  stop: "end",
});

const speaks = (words: number, isAgain: boolean): Said => ({
  ...says(counted(words)),
  pace: isAgain ? "at once" : "slow",
});

/** True when the conversation shows that the wish was already carried out. */
function isDone(wish: ToolWish | null, conversation: readonly Entry[]): boolean {
  if (wish === null) return false;
  const words = wish.kind === "write" ? wish.file : wish.command;
  return [nativeTrace, toldTrace].some((trace) => trace(conversation, words).hasResult);
}

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
