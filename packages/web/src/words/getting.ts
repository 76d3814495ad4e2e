/** Splits the host's sentence about a missing agent from the install command at its end. */

const GET_IT = " To get it: ";

/**
 * Matches an install command that can be pasted into a terminal; other text stays part of the
 * sentence.
 */
const COMMAND = /^(npm|npx|pnpm|yarn|bun|pip|pipx|uv|uvx|brew|curl|cargo|go|apt|apt-get) \S/;

export interface Getting {
  readonly what: string;
  readonly command: string | null;
}

export function gettingIt(words: string): Getting {
  const at = words.indexOf(GET_IT);
  const command = at < 0 ? "" : words.slice(at + GET_IT.length);
  return COMMAND.test(command)
    ? { what: words.slice(0, at), command }
    : { what: words, command: null };
}
