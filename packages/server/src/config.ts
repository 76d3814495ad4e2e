/** All settings of a host, parsed once. The only reader of the environment. */

import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";

export interface Config {
  /** Everything durable lives here; one host at a time. */
  readonly data: string;
  readonly host: string;
  readonly port: number;
}

export interface ConfigFlags {
  readonly data?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

const DEFAULT_PORT = "4860";

export function readConfig(flags: ConfigFlags, env: NodeJS.ProcessEnv = process.env): Config {
  const data = flags.data ?? env.HOLDFAST_DATA ?? join(home(env), ".holdfast");
  if (data === "") throw new HostError("bad_input", "--data needs a directory.");
  const host = flags.host ?? env.HOLDFAST_HOST ?? "127.0.0.1";
  if (!isLoopback(host)) {
    throw new HostError(
      "bad_input",
      `--host ${host} would be reachable from other machines; this version listens on loopback only.`,
    );
  }
  return {
    data: resolve(data),
    host,
    port: readPort(flags.port ?? env.HOLDFAST_PORT ?? DEFAULT_PORT),
  };
}

/** An empty or relative HOME would put the data wherever the command happens to be run. */
function home({ HOME = "" }: NodeJS.ProcessEnv): string {
  if (isAbsolute(HOME)) return HOME;
  const known = homeOfUser();
  if (isAbsolute(known)) return known;
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

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new HostError("bad_input", `--port must be a number from 0 to 65535, not "${text}".`);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
