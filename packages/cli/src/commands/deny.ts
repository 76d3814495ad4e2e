import { command } from "../command.ts";
import { decide, decideFlags, decideWords } from "../decide.ts";

const spec = {
  name: "deny",
  takes: "SESSION [APPROVAL]",
  does: "refuse what it asks for",
  flags: decideFlags,
  words: decideWords,
} as const;

export const deny = command(spec, (given) => decide(given, "deny"));
