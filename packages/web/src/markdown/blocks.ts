/**
 * An agent's Markdown as a list of blocks. Only the last block of a growing text changes, so that
 * the blocks above it are not rendered again; open syntax at its end is closed for display.
 */

import type { Token } from "marked";
import { BoundedLexer } from "./bounded-lexer.ts";

export interface Block {
  readonly token: Token;
  /** Source text of the block; equal blocks are rendered once. */
  readonly raw: string;
}

/** Closes open syntax at the end of a text: a code fence, bold, half a link. */
export type Mend = (text: string) => string;

/** Quote and list markers at the beginning of a line, with their indentation. */
const opening = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))+/gm;
/** Deeper than people write: each level costs the parser a pass over its content. */
const MOST_SIGNS = 32;
/** Each level of a nested list is indented by at least two columns. */
const MOST_COLUMNS = 128;

/** Escapes markers that are nested too deep, so that they appear as text. */
export function flattened(text: string): string {
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

/** The longest text that is parsed as Markdown; the rest is plain text, to save time. */
const MOST_MARKDOWN = 100_000;

/** The length that is parsed as Markdown: all, or up to the last line end before the limit. */
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
