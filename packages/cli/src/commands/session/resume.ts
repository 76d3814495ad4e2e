import { command } from "../../command.ts";
import { usage } from "../../exit.ts";
import { followFlags, oneSession, reviveAndFollow } from "./revive-and-follow.ts";

const modes = ["revive", "continue", "fresh"] as const;

const flags = {
  mode: {
    value: "WORD",
    does: "revive (restart the agent; default), continue (also continue interrupted work), or fresh (without its memory)",
  },
  ...followFlags,
} as const;

const spec = {
  name: "session resume",
  ...oneSession,
  does: "restart the agent and follow the session",
  flags,
} as const;

export const resume = command(spec, (given) =>
  reviveAndFollow(given, modeOf(given.mode ?? "revive")),
);

function modeOf(word: string): (typeof modes)[number] {
  const mode = modes.find((one) => one === word);
  if (mode !== undefined) return mode;
  throw usage(`--mode is ${modes.join(", ")}, not "${word}".`);
}
