import { command } from "../../command.ts";
import { endSession, endSpec } from "./ending.ts";

const spec = {
  ...endSpec,
  name: "session delete",
  does: "end a session; the host deletes it later (default: after 30 days)",
} as const;

export const remove = command(spec, (given) => endSession(given, "deleteSession"));
