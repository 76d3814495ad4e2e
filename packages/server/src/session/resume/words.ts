/** Words as they are compared: agents set their own spaces, and wrap what a person said. */

export function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** What a text has behind words that are known, whatever the spaces; null where it begins otherwise. */
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
