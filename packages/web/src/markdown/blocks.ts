/**
 * Markdown of an agent as a list of blocks. Only the last block of a growing text changes, so that
 * nothing above it is drawn again; what is still open at its end is closed for the eye.
 */

import { Lexer, type Token } from "marked";

export interface Block {
  readonly token: Token;
  /** What it was written as: equal blocks are drawn once. */
  readonly raw: string;
}

/** Closes what is open at the end of a text: a fence, a bold, half a link. */
export type Mend = (text: string) => string;

/** Quotes and lists within each other, deeper than anyone writes: each costs the parser a call. */
const tooDeep = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){33,}/gm;

/** Then they are the signs they are. */
function flattened(text: string): string {
  return text.replace(tooDeep, (signs) => signs.replace(/[>*+\-.)]/g, "\\$&"));
}

export function blocksOf(text: string, mend: Mend | null): readonly Block[] {
  const flat = flattened(text);
  return new Lexer({ gfm: true })
    .lex(mend === null ? flat : mend(flat))
    .filter((token) => token.type !== "space" && token.type !== "def")
    .map((token) => ({ token, raw: token.raw }));
}
