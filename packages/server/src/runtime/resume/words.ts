/** Text comparison that ignores spaces, which agents change. */

export function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The rest of a text after the known words, ignoring spaces; null when it begins differently. */
export function continuation(known: string, text: string): string | null {
  let at = 0;
  for (let i = 0; i < known.length; i++) {
    if (isSpace(known[i])) continue;
    while (isSpace(text[at])) at++;
    if (text[at] !== known[i]) return null;
    at++;
  }
  return text.slice(at);
}

const isSpace = (character: string | undefined) => character !== undefined && /\s/.test(character);
