import { command } from "../../command.ts";
import { endSession, endSpec } from "./ending.ts";

const spec = {
  ...endSpec,
  name: "session end",
  does: "end a session; the host deletes it later (default: after 30 days)",
} as const;

export const end = command(spec, (given) => endSession(given, "endSession"));
