import { command } from "../../command.ts";
import { endSession, endSpec } from "../../ending.ts";

const spec = {
  ...endSpec,
  name: "session delete",
  does: "end it; the host deletes it 30 days later",
} as const;

export const remove = command(spec, (given) => endSession(given, "deleteSession"));
