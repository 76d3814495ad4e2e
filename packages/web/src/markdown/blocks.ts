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

export function blocksOf(text: string, mend: Mend | null): readonly Block[] {
  return new Lexer({ gfm: true })
    .lex(mend === null ? text : mend(text))
    .filter((token) => token.type !== "space" && token.type !== "def")
    .map((token) => ({ token, raw: token.raw }));
}
