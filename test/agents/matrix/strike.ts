/** Kills with SIGKILL, by the recorded pids of holder and agent. */

import { familyOf } from "../../hostile/processes.ts";
import { eventually, survivorsIn } from "../../rounds/survivors.ts";
import { kill } from "../../rounds/worlds.ts";
import type { World } from "../../story/world.ts";
import type { Victim } from "./cells.ts";

const GONE_WITHIN = 10_000;

/** Resolves when every victim is gone; returns the agent's processes from before the kill. */
export async function strike(world: World, victim: Victim): Promise<readonly number[]> {
  const { holder, agent } = world.pids();
  if (holder === null || agent === null) throw new Error("void: there is no agent to kill");
  const family = familyOf(agent);
  const struck = {
    agent: [agent],
    holder: [holder, agent],
    host: [],
    all: [holder, agent],
  }[victim];
  const ofHost = victim === "host" || victim === "all" ? [world.hostPid] : [];
  // All in one go: the last victim must not have time to react.
  for (const pid of [...ofHost, ...struck]) kill(pid);
  if (ofHost.length > 0) await world.kill();
  const isGone = await eventually(() => stillThere(world, struck).length === 0, GONE_WITHIN);
  if (isGone === null) throw new Error(`void: ${stillThere(world, struck)} would not die`);
  return family;
}

/** The processes among `pids` that still run in the world. */
export function stillThere(world: World, pids: readonly number[]): string[] {
  return survivorsIn(world.data).flatMap(({ pid, argv }) =>
    pids.includes(pid) ? [`${pid} ${argv.slice(0, 80)}`] : [],
  );
}

/** Processes that remain in a world some time after its session ended. */
export async function leftIn(world: World): Promise<string[]> {
  await eventually(() => survivorsIn(world.data).length === 0, GONE_WITHIN);
  return survivorsIn(world.data).map(({ pid, argv }) => `${pid} ${argv.slice(0, 80)}`);
}
