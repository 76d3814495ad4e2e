/** Directories and processes of one agent: its home and its workspace, all removed at the end. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { survivorsIn } from "../rounds/survivors.ts";
import { kill } from "../rounds/worlds.ts";
import type { Launch, Place } from "./known.ts";

export interface World extends Place {
  readonly folder: string;
}

const worlds = new Set<World>();

export function openWorld(name: string, model: string): World {
  // Some agents store sessions by the real path of the workspace.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-${name}-`)));
  const world = { folder, model, home: join(folder, "home"), workspace: join(folder, "work") };
  mkdirSync(world.home);
  mkdirSync(world.workspace);
  worlds.add(world);
  return world;
}

export function furnish({ home }: Pick<Place, "home">, { files = {} }: Launch): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

export function endWorld(world: World): void {
  for (const { pid } of survivorsIn(world.folder)) kill(pid);
  rmSync(world.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  worlds.delete(world);
}

export function endWorlds(): void {
  for (const world of worlds) endWorld(world);
}
