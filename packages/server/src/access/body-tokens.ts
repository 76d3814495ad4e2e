/**
 * What may be a resume token in a body that is not parsed yet: nobody parses a stranger's body before
 * its token was judged. Whether it was the body's own token is for those to ask who parse it.
 */

const TOKEN = /"token"\s*:\s*"([^"\\]{1,500})"/g;
/** A result may hold fields of this name, too. */
const MOST = 10;

export function tokensIn(text: string): string[] {
  return [...text.matchAll(TOKEN)].slice(0, MOST).map(([, token = ""]) => token);
}
