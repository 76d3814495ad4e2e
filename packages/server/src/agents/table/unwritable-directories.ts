/** Session directories that an agent cannot write: it reports no error, and loads an empty one. */

import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { AgentDefinition, AgentPlace } from "./table.ts";

/** The session directories that the agent can neither write nor create. */
export async function unwritableDirectories(
  agent: AgentDefinition,
  place: AgentPlace,
): Promise<string[]> {
  const kept = agent.keeps?.(place) ?? [];
  const found = await Promise.all(kept.map(async (dir) => ((await isWritable(dir)) ? [] : [dir])));
  return found.flat();
}

/** A missing directory counts as writable if its nearest existing parent is writable. */
async function isWritable(dir: string): Promise<boolean> {
  try {
    await access(dir, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && dir !== dirname(dir) && isWritable(dirname(dir));
  }
}
