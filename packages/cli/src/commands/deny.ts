import { command } from "../command.ts";
import { decide, decideFlags, decideWords } from "./decide.ts";

const spec = {
  name: "deny",
  takes: "SESSION [APPROVAL]",
  does: "deny what the agent asks for",
  flags: decideFlags,
  words: decideWords,
} as const;

export const deny = command(spec, (given) => decide(given, "deny"));
