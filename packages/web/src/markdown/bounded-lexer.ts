/**
 * A Markdown lexer with bounded time. marked is quadratic in unclosed emphasis: 20 KB of `**a `
 * take seconds. A run of text that would cost too much becomes one plain token.
 */

import { Lexer, type Token } from "marked";

/** All characters that open or close inline syntax. */
const signs = /[*_~`[\]<\\]/g;
/** Limit for one paragraph, cell or heading: more than people write. */
const MOST_SIGNS = 300;
const MOST_LETTERS = 4096;
/**
 * Limit for one text, as the sum of squares of signs per paragraph: hundreds of ordinary paragraphs
 * of 20 signs, or three of the worst. About 100 ms on a slow machine.
 */
const MOST_WORK = 250_000;

export class BoundedLexer extends Lexer {
  #work = 0;

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const count = source.match(signs)?.length ?? 0;
    const work = this.#work + count * count;
    if (source.length > MOST_LETTERS || count > MOST_SIGNS || work > MOST_WORK) {
      tokens.push({ type: "plain", raw: source } as Token);
      return tokens;
    }
    this.#work = work;
    return super.inlineTokens(source, tokens);
  }
}
