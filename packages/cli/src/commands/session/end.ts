import { command } from "../../command.ts";
import { endSession, endSpec } from "../../ending.ts";

const spec = {
  ...endSpec,
  name: "session end",
  does: "stop its agent for good; it can still be read",
} as const;

export const end = command(spec, (given) => endSession(given, "endSession"));
