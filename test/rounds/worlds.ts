/** Worlds for the rounds; each is removed with all its processes, also when its round fails. */

import { fileURLToPath } from "node:url";
import { mutateFile } from "../long/mutants.ts";
import { World, type WorldOptions } from "../story/world.ts";
import { survivorsIn } from "./survivors.ts";

export interface RoundOptions extends WorldOptions {
  readonly mutant?: string | undefined;
}

/** A host that also has the agents of `agents/`. */
export const withMoreAgents = {
  entry: fileURLToPath(new URL("./host.ts", import.meta.url)),
} as const satisfies RoundOptions;

const worlds = new Set<World>();

export async function openWorld({ mutant, ...options }: RoundOptions = {}): Promise<World> {
  const broken = mutant === undefined ? [] : ["--import", mutateFile];
  const world = new World({
    ...options,
    node: ["--conditions=holdfast-source", ...broken],
    env: {
      ...options.env,
      // A patched source must neither use nor fill the cache.
      ...(mutant === undefined ? {} : { MUTANT: mutant, NODE_DISABLE_COMPILE_CACHE: "1" }),
    },
  });
  worlds.add(world);
  await world.start();
  return world;
}

export async function endWorld(world: World): Promise<void> {
  worlds.delete(world);
  await world.kill();
  // Kills directly: the product's own way to end processes is under test.
  for (const { pid } of survivorsIn(world.data)) kill(pid);
  await world.end();
}

export async function inWorld<T>(
  options: RoundOptions,
  act: (world: World) => Promise<T>,
): Promise<T> {
  const world = await openWorld(options);
  try {
    return await act(world);
  } finally {
    await endWorld(world);
  }
}

export async function endWorlds(): Promise<void> {
  for (const world of worlds) await endWorld(world);
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
