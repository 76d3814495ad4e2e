/**
 * Finds where a Markdown text can be split for an event that happened while the text was written. In
 * prose this is the end of the current word. Code, a table or a list item is not split but named.
 */

import type { Token, Tokens } from "marked";
import { blocksOf, flattened } from "./blocks.ts";
import { BoundedLexer } from "./bounded-lexer.ts";

export interface CutPlace {
  readonly at: number;
  /** The block that was not split, although a part of it was written after the event. */
  readonly inside: Whole | null;
}

export type Whole = "code" | "table" | "list" | "text";

const fence = /^ {0,3}(?:```|~~~)/;
/** Content of a list item is indented by at least two columns. */
const indented = /^(?: {2}| ?\t)/;
/** Longer stretches without a blank line are not parsed. */
const MOST_LETTERS = 20_000;
/** Longer words are split. */
const LONGEST_WORD = 40;
/** After this many attempts to split a paragraph, the split is at its end. */
const MOST_TRIES = 8;

export function cutPlace(text: string, at: number): CutPlace {
  const { start, end } = stretchAt(text, at);
  const stretch = text.slice(start, end);
  const before = at - start;
  if (stretch.slice(0, before).trim() === "") return { at: start, inside: null };
  if (stretch.slice(before).trim() === "") return { at: end, inside: null };
  const tokens = tokensOf(stretch);
  if (tokens === null) return { at: end, inside: "text" };
  let from = 0;
  for (const token of tokens) {
    const to = from + token.raw.length;
    if (before < to) {
      const place = within(token, before - from);
      return { at: start + from + place.at, inside: place.inside };
    }
    from = to;
  }
  return { at: end, inside: null };
}

/**
 * The lines around `at`, from one blank line to the next. Blank lines inside code do not count, nor
 * those before an indented line, which continues a list item or code.
 */
function stretchAt(text: string, at: number): { readonly start: number; readonly end: number } {
  let isCode = false;
  let isAfterBlank = false;
  let start = 0;
  for (let line = 0; line < text.length; ) {
    const found = text.indexOf("\n", line);
    const end = found < 0 ? text.length : found + 1;
    const words = text.slice(line, end);
    const isBlank = words.trim() === "";
    if (isAfterBlank && !isBlank && !indented.test(words)) {
      if (line > at) return { start, end: line };
      start = line;
    }
    if (fence.test(words)) isCode = !isCode;
    isAfterBlank = isBlank && !isCode;
    line = end;
  }
  return { start, end: text.length };
}

/** Null if lexing would take too long, or if the tokens do not add up to the text. */
function tokensOf(text: string): readonly Token[] | null {
  if (text.length > MOST_LETTERS || flattened(text) !== text) return null;
  const tokens = new BoundedLexer({ gfm: true }).lex(text);
  return tokens.map(({ raw }) => raw).join("") === text ? tokens : null;
}

function within(token: Token, at: number): CutPlace {
  const end = token.raw.length;
  const isOver = token.raw.slice(at).trim() === "";
  if (at === 0 || isOver) return { at: at === 0 ? 0 : end, inside: null };
  switch (token.type) {
    case "paragraph":
      return inParagraph(token as Tokens.Paragraph, at);
    case "list":
      return inList(token as Tokens.List, at);
    case "code":
    case "table":
      return { at: end, inside: token.type };
    default:
      return { at: end, inside: "text" };
  }
}

/** Splits after the list item that contains `at`. */
function inList({ raw, items }: Tokens.List, at: number): CutPlace {
  let end = 0;
  for (const item of items) {
    const from = end;
    end += item.raw.length;
    if (at === from) return { at, inside: null };
    if (at >= end) continue;
    const isOver = raw.slice(at, end).trim() === "";
    return { at: end, inside: isOver ? null : "list" };
  }
  return { at: raw.length, inside: "list" };
}

function inParagraph({ raw, tokens }: Tokens.Paragraph, at: number): CutPlace {
  let tries = 0;
  for (const place of placesBehind(raw, tokens, at)) {
    if (tries++ === MOST_TRIES) break;
    if (!isProse(raw.slice(0, place)) || !isProse(raw.slice(place))) continue;
    return { at: place, inside: /\s\S/.test(raw.slice(at, place).trimStart()) ? "text" : null };
  }
  return { at: raw.length, inside: "text" };
}

/** Each half must still be parsed as a paragraph: a half that begins with "2. " would be a list. */
function isProse(text: string): boolean {
  const blocks = blocksOf(text, null);
  return blocks.length === 1 && blocks[0]?.token.type === "paragraph";
}

/** Ends of words from `at` on, and ends of emphasis, links and inline code. */
function* placesBehind(raw: string, tokens: readonly Token[], at: number): Generator<number> {
  let from = 0;
  for (const token of tokens) {
    const to = from + token.raw.length;
    if (to > at) {
      if (token.type === "text" || token.type === "plain") {
        yield* wordEnds(raw, Math.max(from, at), to);
      }
      yield to;
    }
    from = to;
  }
}

function* wordEnds(raw: string, from: number, to: number): Generator<number> {
  let place = from;
  if (/\s/.test(raw[from - 1] ?? " ") || /\s/.test(raw[from] ?? " ")) yield from;
  while (place < to) {
    const found = raw.slice(place, to).search(/\S(?=\s)/);
    if (found < 0) break;
    place += found + 1;
    if (place - from > LONGEST_WORD && !/\s/.test(raw.slice(from, place))) yield from;
    yield place;
  }
  if (to - from > LONGEST_WORD && !/\s/.test(raw.slice(from, to))) yield from;
}
