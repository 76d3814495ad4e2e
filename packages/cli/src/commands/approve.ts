import { command } from "../command.ts";
import { decide, decideFlags, decideWords } from "../decide.ts";

const flags = {
  always: { does: "and do not ask again for exactly this in this session" },
  ...decideFlags,
} as const;

const spec = {
  name: "approve",
  takes: "SESSION [APPROVAL]",
  does: "let what it asks for run",
  flags,
  words: decideWords,
} as const;

export const approve = command(spec, (given) =>
  decide(given, given.always ? "allow_always" : "allow"),
);
