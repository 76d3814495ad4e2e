import { command } from "../../command.ts";
import { endSession, endSpec } from "./ending.ts";

const spec = {
  ...endSpec,
  name: "session delete",
  does: "the same as session end, but a script needs --yes",
} as const;

export const remove = command(spec, (given) => endSession(given, "deleteSession"));
