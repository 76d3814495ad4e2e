/** All settings of a host, parsed once: no other part of it, its holders aside, reads the environment. */

import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";
import { refuseBind } from "./access/bind.ts";
import { type HostLimits, hostLimits } from "./access/host-limits.ts";
import { allAgents } from "./agents/own-rows.ts";
import type { AgentDefinition } from "./agents/table.ts";
import { readConfigFile } from "./config-file.ts";
import type { Policy } from "./policy.ts";
import { type LiveLimits, liveLimits } from "./session/launch-queue.ts";

export interface Config {
  /** Everything durable lives here; one host at a time. */
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** Names besides loopback by which other machines may reach it. */
  readonly names: readonly string[];
  readonly agents: readonly AgentDefinition[];
  /** The command by which a terminal of this machine calls the CLI for this host (default `holdfast`). */
  readonly command?: string;
  /** Policy of `config.json`: what holds for sessions that set none of their own. */
  readonly policy?: Partial<Policy>;
  /** Other limits than the host's own. */
  readonly limits?: Partial<HostLimits & LiveLimits>;
}

export interface ConfigFlags {
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

/** None at all is no limit but a host that is closed: whoever wants that stops it. */
function readCount(env: NodeJS.ProcessEnv, name: string, standard: number): number {
  const text = env[name];
  if (text === undefined || text === "") return standard;
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new HostError("bad_input", `${name} must be a whole number above 0, not "${text}".`);
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
