import { command } from "../../command.ts";
import { followFlags, oneSession, reviveAndFollow } from "./revive-and-follow.ts";

const spec = {
  name: "session continue",
  ...oneSession,
  does: "continue interrupted work and follow it",
  flags: followFlags,
} as const;

export const goOn = command(spec, (given) => reviveAndFollow(given, "continue"));
