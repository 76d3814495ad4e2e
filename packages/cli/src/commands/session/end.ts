import { command } from "../../command.ts";
import { endSession, endSpec } from "./ending.ts";

const spec = {
  ...endSpec,
  name: "session end",
  does: "end a session for good; you can still read it",
} as const;

export const end = command(spec, (given) => endSession(given, "endSession"));
