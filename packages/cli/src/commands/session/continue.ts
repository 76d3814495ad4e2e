import { bringUp, followFlags, oneSession } from "../../bring-up.ts";
import { command } from "../../command.ts";

const spec = {
  name: "session continue",
  ...oneSession,
  does: "let interrupted work go on, then follow",
  flags: followFlags,
} as const;

export const goOn = command(spec, (given) => bringUp(given, "continue"));
