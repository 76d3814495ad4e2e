/** The folder of a new session: one of the person's folders, or an empty one of its own. */

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, parse, resolve } from "node:path";
import { usage } from "../exit.ts";

interface PlaceGiven {
  readonly agent: string;
  readonly workspace: string | undefined;
  readonly scratch: boolean;
  /** True when the host runs on this machine and shares its folders. */
  readonly isLocal: boolean;
  readonly cwd: string;
}

/** The folder to work in, or null for an empty one of the session's own. */
export function workPlace({ agent, workspace, scratch, isLocal, cwd }: PlaceGiven): string | null {
  if (scratch && workspace !== undefined) throw usage("Use --workspace or --scratch, not both.");
  if (scratch) return null;
  if (workspace === undefined) {
    // The demo agent edits a program that it writes itself, so it never works in a person's own
    // folder.
    if (agent === "demo") return null;
    if (!isLocal) {
      throw usage(
        "The host is on another machine: name a folder there with --workspace PATH, or use --scratch for an empty one.",
      );
    }
    refuseTooMuch(cwd, agent);
    return cwd;
  }
  if (workspace === "") throw usage("--workspace needs a folder.");
  if (isLocal) return existing(resolve(cwd, workspace));
  if (isAbsolute(workspace)) return workspace;
  throw usage(
    `The host is on another machine: --workspace needs an absolute path, not "${workspace}".`,
  );
}

function existing(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw usage(`There is no folder ${path}. Create it first, or name another folder.`);
  if (!stat.isDirectory()) throw usage(`${path} is a file. --workspace needs a folder.`);
  return path;
}

/** Refuses folders that must be named explicitly, such as the home directory. */
function refuseTooMuch(cwd: string, agent: string): void {
  const what =
    cwd === homedir()
      ? "your home directory"
      : cwd === parse(cwd).root
        ? "the whole machine"
        : null;
  if (what === null) return;
  throw usage(
    `${agent} would work in ${cwd}, ${what}. Go to your project, name a folder with --workspace PATH, or use --scratch for an empty one.`,
  );
}
