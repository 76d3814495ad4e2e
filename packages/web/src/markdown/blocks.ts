/**
 * Markdown of an agent as a list of blocks. Only the last block of a growing text changes, so that
 * nothing above it is drawn again; what is still open at its end is closed for the eye.
 */

import type { Token } from "marked";
import { BoundedLexer } from "./bounded-lexer.ts";

export interface Block {
  readonly token: Token;
  /** What it was written as: equal blocks are drawn once. */
  readonly raw: string;
}

/** Closes what is open at the end of a text: a fence, a bold, half a link. */
export type Mend = (text: string) => string;

/** Signs of quotes and lists at the beginning of a line, and what they are indented by. */
const opening = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))+/gm;
/** Deeper than anyone writes: each level costs the parser a pass over all that is in it. */
const MOST_SIGNS = 32;
/** A level of a list that goes on below is indented by two columns at least. */
const MOST_COLUMNS = 128;

/** What is too deep are the signs they are, no further in than that. */
function flattened(text: string): string {
  return text.replace(opening, (signs) => {
    if (!isTooDeep(signs)) return signs;
    const [margin = ""] = /^[ \t]*/.exec(signs) ?? [];
    const plain = signs.slice(margin.length).replace(/[>*+\-.)]/g, "\\$&");
    return margin.slice(0, MOST_COLUMNS) + plain;
  });
}

function isTooDeep(signs: string): boolean {
  const columns = signs.replaceAll("\t", "    ").length;
  return columns > MOST_COLUMNS || (signs.match(/[>*+\-.)]/g)?.length ?? 0) > MOST_SIGNS;
}

/** A book's chapter. Past this a text is drawn as its letters: parsing takes time, whatever is written. */
const MOST_MARKDOWN = 100_000;

/** How far a text is drawn as Markdown: to its end, or to the last line end before the limit. */
export function markdownEnd(text: string): number {
  if (text.length <= MOST_MARKDOWN) return text.length;
  const end = text.lastIndexOf("\n", MOST_MARKDOWN - 1);
  return end < MOST_MARKDOWN / 2 ? MOST_MARKDOWN : end + 1;
}

export function blocksOf(text: string, mend: Mend | null): readonly Block[] {
  const flat = flattened(text);
  return new BoundedLexer({ gfm: true })
    .lex(mend === null ? flat : mend(flat))
    .filter((token) => token.type !== "space" && token.type !== "def")
    .map((token) => ({ token, raw: token.raw }));
}
