/** Where the demo agent keeps what it must know in its next process, and the lie it has to tell. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Lie } from "./lies.ts";

/** Beside the user's files, where there is no better place. */
const BESIDE = ".holdfast-demo";

/** Inside `.git`, where no one mistakes it for work; a workspace without one gets a folder of its own. */
export function stateDirectory(configured: string | null, cwd: string): string {
  if (configured !== null) return configured;
  const git = join(cwd, ".git");
  const hidden = statSync(git, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return hidden ? join(git, "holdfast-demo") : join(cwd, BESIDE);
}

export function makeStateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // A git that is made around it later must not list it as work.
  if (basename(directory) === BESIDE) writeFileSync(join(directory, ".gitignore"), "*\n");
}

export function transcriptPath(directory: string, sessionId: string): string | null {
  // An id comes from the client and becomes a file name: nothing in it may lead elsewhere.
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
