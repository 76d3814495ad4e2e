/** How to get what is missing: the host says it in a sentence, behind which a command may stand. */

const GET_IT = " To get it: ";

/** What can be pasted into a terminal; anything else is a sentence, and stays one. */
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
