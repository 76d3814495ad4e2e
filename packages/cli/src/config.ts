/** What the CLI takes from its surroundings. The only reader of the environment in this package. */

import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";

export interface Surroundings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** People who cannot see colours, or do not want to. */
  readonly plain: boolean;
  /** Folders in which the shell looks for programs. */
  readonly path: string;
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
 * Where the host keeps everything. The host's own rule, which a test holds it to: loading the host to
 * ask it would take every command three times as long.
 */
export function dataDirectory(flag?: string, env: NodeJS.ProcessEnv = process.env): string {
  const data = flag ?? env.HOLDFAST_DATA ?? defaultData(env);
  if (data === "") throw new HostError("bad_input", "--data needs a directory.");
  return resolve(data);
}

/** The default data directory. */
export function defaultData(env: NodeJS.ProcessEnv = process.env): string {
  return join(home(env), ".holdfast");
}

function home({ HOME = "" }: NodeJS.ProcessEnv): string {
  const found = isAbsolute(HOME) ? HOME : homeOfUser();
  if (isAbsolute(found)) return found;
  throw new HostError("bad_input", "There is no home directory. Name one with --data.");
}

/** A container may run as a user that the system does not know. */
function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}
