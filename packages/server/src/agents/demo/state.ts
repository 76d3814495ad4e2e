/** The demo agent's state directory: transcripts, and the lie for its next process. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Lie } from "./lies.ts";

const BESIDE = ".holdfast-demo";

/** The state directory: as configured, or inside `.git`, or in a folder of its own. */
export function stateDirectory(configured: string | null, cwd: string): string {
  if (configured !== null) return configured;
  const git = join(cwd, ".git");
  const hidden = statSync(git, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return hidden ? join(git, "holdfast-demo") : join(cwd, BESIDE);
}

export function makeStateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // If the workspace becomes a git repository later, the folder must stay out of its status.
  if (basename(directory) === BESIDE) writeFileSync(join(directory, ".gitignore"), "*\n");
}

export function transcriptPath(directory: string, sessionId: string): string | null {
  // The id comes from the client and becomes a file name, so it must not contain a path.
  return /^[\w-]{1,128}$/.test(sessionId) ? join(directory, `${sessionId}.jsonl`) : null;
}

const liePath = (directory: string): string => join(directory, "lie");

export function readLie(directory: string): Lie {
  try {
    return readFileSync(liePath(directory), "utf8").trim() as Lie;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "none";
    throw error;
  }
}

export function writeLie(directory: string, lie: Lie): void {
  writeFileSync(liePath(directory), `${lie}\n`);
}
