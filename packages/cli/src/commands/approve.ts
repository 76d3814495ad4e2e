import { command } from "../command.ts";
import { allowFlags, decide, decideFlags, decideWords } from "./decide.ts";

const flags = {
  always: { does: "allow, and do not ask again for exactly this in this session" },
  ...allowFlags,
  ...decideFlags,
} as const;

const spec = {
  name: "approve",
  takes: "SESSION [APPROVAL]",
  does: "show what the agent asks for, and allow it",
  flags,
  words: decideWords,
} as const;

export const approve = command(spec, (given) =>
  decide(given, given.always ? "allow_always" : "allow"),
);
