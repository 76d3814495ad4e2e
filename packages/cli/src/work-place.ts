/** The place of a new session: a folder of the person's, or one of its own. */

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, parse, resolve } from "node:path";
import { usage } from "./exit.ts";

export interface PlaceGiven {
  readonly agent: string;
  readonly workspace: string | undefined;
  readonly scratch: boolean;
  /** The host runs on this machine, so that folders here are folders there. */
  readonly isLocal: boolean;
  readonly cwd: string;
}

/** The folder to work in, or null for an empty one of the session's own. */
export function workPlace({ agent, workspace, scratch, isLocal, cwd }: PlaceGiven): string | null {
  if (scratch && workspace !== undefined) throw usage("Give --workspace or --scratch, not both.");
  if (scratch) return null;
  if (workspace === undefined) {
    // It changes a program that it writes itself; nobody's own code should be that.
    if (agent === "demo") return null;
    if (!isLocal) {
      throw usage(
        "The host is on another machine: name a folder there with --workspace PATH, or --scratch for an empty one.",
      );
    }
    refuseTooMuch(cwd, agent);
    return cwd;
  }
  if (workspace === "") throw usage("--workspace needs a folder.");
  if (isLocal) return existing(resolve(cwd, workspace));
  if (isAbsolute(workspace)) return workspace;
  throw usage(
    `The host is on another machine: --workspace needs a whole path, not "${workspace}".`,
  );
}

function existing(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw usage(`There is no folder ${path}. Make it first, or name another.`);
  if (!stat.isDirectory()) throw usage(`${path} is a file. --workspace needs a folder.`);
  return path;
}

/** Folders that are used only when they are named: just being in one is not enough. */
function refuseTooMuch(cwd: string, agent: string): void {
  const what =
    cwd === homedir()
      ? "your home directory"
      : cwd === parse(cwd).root
        ? "the whole machine"
        : null;
  if (what === null) return;
  throw usage(
    `${agent} would work in ${cwd}, ${what}. Go to the folder that it is about, or name it with --workspace PATH (--scratch: an empty one).`,
  );
}
