/** A test world with one real agent in its config file, as a person would write it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { World } from "../../story/world.ts";
import type { KnownAgent } from "../known.ts";
import { furnish } from "../worlds.ts";

/** Name of the agent in the config; it differs from all names in the host's table. */
export const agentName = "under-test";

export function worldWith(known: KnownAgent, model: string): World {
  const world = new World({ node: ["--conditions=holdfast-source"] });
  const definition = join(world.data, "given");
  const { mode, lateReplay } = known;
  const launch = known.launch({ home: "{home}", workspace: "{workspace}", model });
  furnish({ home: definition }, launch);
  const row = {
    command: [launch.command, ...launch.args],
    env: launch.env,
    resume: "native",
    history: "fallback",
    home: "private",
    ...(launch.files === undefined ? {} : { definition }),
    ...(mode === undefined ? {} : { mode }),
    ...(lateReplay === undefined ? {} : { lateReplay }),
  };
  const config = { agents: { [agentName]: row } };
  writeFileSync(join(world.data, "config.json"), JSON.stringify(config), { mode: 0o600 });
  return world;
}
