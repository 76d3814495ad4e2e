/** All settings of a host, parsed once. In the host, only this file reads the environment. */

import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";
import { refuseBind } from "./access/bind.ts";
import { type HostLimits, hostLimits } from "./access/limits/host-limits.ts";
import { allAgents } from "./agents/table/own-rows.ts";
import type { AgentDefinition } from "./agents/table/table.ts";
import type { Policy } from "./base/policy.ts";
import { readConfigFile } from "./config-file.ts";
import { type LiveLimits, liveLimits } from "./runtime/launch-queue.ts";

export interface Config {
  /** Directory of all durable data; only one host can use it at a time. */
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** Host names, besides loopback, by which other machines may reach the host. */
  readonly names: readonly string[];
  readonly agents: readonly AgentDefinition[];
  /** The command of the CLI for this host on this machine (default `holdfast`). */
  readonly command?: string;
  /** The pid of the process that starts this host again when it is killed. */
  readonly supervisor?: number;
  /** Policy from `config.json`, for sessions without a policy of their own. */
  readonly policy?: Partial<Policy>;
  readonly limits?: Partial<HostLimits & LiveLimits>;
}

interface ConfigFlags {
  readonly data?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly "allow-remote"?: string | undefined;
}

const DEFAULT_PORT = "4860";

export function readConfig(flags: ConfigFlags, env: NodeJS.ProcessEnv = process.env): Config {
  const data = flags.data ?? env.HOLDFAST_DATA ?? join(home(env), ".holdfast");
  if (data === "") throw new HostError("bad_input", "--data needs a directory.");
  const host = flags.host ?? env.HOLDFAST_HOST ?? "127.0.0.1";
  const remote = flags["allow-remote"] ?? env.HOLDFAST_ALLOW_REMOTE ?? "";
  const names = remote.split(",").flatMap((name) => name.trim() || []);
  const refused = refuseBind({ host, names });
  if (refused !== null) throw refused;
  const { agents = {}, policy = {} } = readConfigFile(data);
  return {
    data: resolve(data),
    host,
    port: readPort(flags.port ?? env.HOLDFAST_PORT ?? DEFAULT_PORT),
    names,
    agents: allAgents(agents, env),
    policy: policy as Partial<Policy>,
    limits: readLimits(env),
  };
}

function readLimits(env: NodeJS.ProcessEnv): HostLimits & LiveLimits {
  const { sessionsPerTenant, sessions, changes } = hostLimits;
  return {
    sessionsPerTenant: readCount(env, "HOLDFAST_SESSIONS_PER_TENANT", sessionsPerTenant),
    sessions: readCount(env, "HOLDFAST_SESSIONS", sessions),
    liveAgents: readCount(env, "HOLDFAST_LIVE_AGENTS", liveLimits.liveAgents),
    liveAgentsPerTenant: readCount(
      env,
      "HOLDFAST_LIVE_AGENTS_PER_TENANT",
      liveLimits.liveAgentsPerTenant,
    ),
    changes: {
      burst: readCount(env, "HOLDFAST_CHANGES_AT_ONCE", changes.burst),
      perSecond: readCount(env, "HOLDFAST_CHANGES_PER_SECOND", changes.perSecond),
    },
  };
}

/** Parses a positive count. Zero is refused: it would close the host, and stopping it does that. */
function readCount(env: NodeJS.ProcessEnv, name: string, standard: number): number {
  const text = env[name];
  if (text === undefined || text === "") return standard;
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new HostError("bad_input", `${name} must be a whole number above 0, not "${text}".`);
}

/** The home directory. An empty or relative HOME would put the data in the working directory. */
function home({ HOME = "" }: NodeJS.ProcessEnv): string {
  if (isAbsolute(HOME)) return HOME;
  const known = homeOfUser();
  if (isAbsolute(known)) return known;
  throw new HostError("bad_input", "There is no home directory. Name one with --data.");
}

/** The user's home by the system; empty for an unknown user, as in some containers. */
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
