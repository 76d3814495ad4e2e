/**
 * Whether an agent can write where it keeps its sessions. One that cannot works all the same, says
 * nothing, and has forgotten everything when it is loaded.
 */

import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { AgentDefinition, AgentPlace } from "./table.ts";

/** The directories that it cannot write, or make. */
export async function unwritable(agent: AgentDefinition, place: AgentPlace): Promise<string[]> {
  const kept = agent.keeps?.(place) ?? [];
  const found = await Promise.all(kept.map(async (dir) => ((await isWritable(dir)) ? [] : [dir])));
  return found.flat();
}

/** What is not there yet is made in the nearest directory that is. */
async function isWritable(dir: string): Promise<boolean> {
  try {
    await access(dir, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && dir !== dirname(dir) && isWritable(dirname(dir));
  }
}
