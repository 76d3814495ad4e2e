import { command } from "../../command.ts";
import { followFlags, oneSession, reviveAndFollow } from "../../revive-and-follow.ts";

const spec = {
  name: "session continue",
  ...oneSession,
  does: "let interrupted work go on, then follow",
  flags: followFlags,
} as const;

export const goOn = command(spec, (given) => reviveAndFollow(given, "continue"));
