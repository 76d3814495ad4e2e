/** Reads the CLI's environment; the only reader of environment variables in this package. */

import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";

interface Surroundings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly plain: boolean;
  /** The PATH variable: folders in which the shell finds programs. */
  readonly path: string;
}

/** The host and tenant as a command's flags name them. */
export interface HostGiven {
  readonly url: string | undefined;
  readonly data: string | undefined;
  readonly tenant?: string | undefined;
}

export function surroundings(env: NodeJS.ProcessEnv = process.env): Surroundings {
  return {
    url: env.HOLDFAST_URL || undefined,
    token: env.HOLDFAST_TOKEN || undefined,
    plain: Boolean(env.NO_COLOR) || env.TERM === "dumb",
    path: env.PATH ?? "",
  };
}

/**
 * The host's data directory. Repeats the host's own rule, and a test compares the two: loading the
 * host's code would make every command three times as slow.
 */
export function dataDirectory(flag?: string, env: NodeJS.ProcessEnv = process.env): string {
  const data = flag ?? env.HOLDFAST_DATA ?? defaultData(env);
  if (data === "") throw new HostError("bad_input", "--data needs a directory.");
  return resolve(data);
}

export function defaultData(env: NodeJS.ProcessEnv = process.env): string {
  return join(home(env), ".holdfast");
}

function home({ HOME = "" }: NodeJS.ProcessEnv): string {
  const found = isAbsolute(HOME) ? HOME : homeOfUser();
  if (isAbsolute(found)) return found;
  throw new HostError("bad_input", "There is no home directory. Name one with --data.");
}

/** The user's home directory; in a container the user may be unknown to the system. */
function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}
