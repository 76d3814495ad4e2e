/**
 * A Markdown lexer whose time is bounded as well as its size. marked is quadratic in emphasis that is
 * opened and not closed: 20 KB of `**a ` take it seconds. A run of text that costs too much is one
 * plain token instead, drawn as the letters it is.
 */

import { Lexer, type Token } from "marked";

/** Every sign that opens or closes something inside a paragraph. */
const signs = /[*_~`[\]<\\]/g;
/** In one paragraph, cell or heading: more than anyone writes into one. */
const MOST_SIGNS = 300;
const MOST_LETTERS = 4096;
/**
 * In one text, as the sum of squares of signs per paragraph: hundreds of ordinary paragraphs of 20
 * signs, or three of the worst. About 100 ms on a slow machine.
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
