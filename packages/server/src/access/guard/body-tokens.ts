/**
 * Finds possible resume tokens in the raw text of a body, because a caller without a credential
 * must show a valid token before the body is parsed. The handler that parses it checks which token
 * counts.
 */

const TOKEN = /"token"\s*:\s*"([^"\\]{1,500})"/g;
/** Limit of candidates: a tool's result may also contain fields named `token`. */
const MOST = 10;

export function tokensIn(text: string): string[] {
  return [...text.matchAll(TOKEN)].slice(0, MOST).map(([, token = ""]) => token);
}
