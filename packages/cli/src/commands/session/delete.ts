import { command } from "../../command.ts";
import { endSession, endSpec } from "../../ending.ts";

const spec = {
  ...endSpec,
  name: "session delete",
  does: "end it; the host deletes it later, by default in 30 days",
} as const;

export const remove = command(spec, (given) => endSession(given, "deleteSession"));
