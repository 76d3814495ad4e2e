/** Agents as data: the command that starts each agent on this machine, and its capabilities. */

import type { AgentView, Json } from "@holdfast/protocol";
import type { LaunchSpec } from "../../holder/spool/frames.ts";
import { Finder, isReadable } from "./find.ts";
import { type Program, programOf } from "./program.ts";
import type { AgentRow } from "./row.ts";
import { demoRow } from "./rows.ts";

export interface AgentPlace {
  readonly workspace: string;
  readonly state: string;
  /** The session's private home; null when the agent shares the person's home. */
  readonly home: string | null;
  readonly mcpServers: readonly Json[];
}

export interface AgentDefinition {
  readonly name: string;
  readonly resume: "native" | "none";
  readonly history: "inject" | "fallback" | "never";
  /** The session mode in which the agent asks for permission, if that is not its default mode. */
  readonly mode?: string;
  /** Time in ms for which a replay may continue after the load was answered. */
  readonly lateReplay?: number;
  /** True when each session has a private home. */
  readonly ownHome?: boolean;
  readonly definition?: string;
  readonly row?: AgentRow;
  /** Null when the agent can be started here, else instructions to install it. */
  missing(): string | null;
  version(): string | null;
  launch(place: AgentPlace): LaunchSpec;
  keeps?(place: AgentPlace): readonly string[];
  login?(place: AgentPlace): Login | null;
}

interface Login {
  readonly found: boolean;
  readonly how: string;
  readonly looked: readonly string[];
}

/** Host variables that every agent may see. */
const inherited = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "USER", "SHELL"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
];

export function allowed(
  env: NodeJS.ProcessEnv,
  names: readonly string[] = [],
): Record<string, string> {
  const known = [...inherited, ...names].flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}

export interface RowSettings {
  readonly ownHome?: boolean;
  readonly definition?: string;
}

/** The agent that a row describes, on this machine and with the host's environment. */
export function agentOf(
  row: AgentRow,
  env: NodeJS.ProcessEnv,
  settings: RowSettings = {},
): AgentDefinition {
  const { name, resume, history, mode, lateReplay } = row;
  const { definition, ownHome = definition !== undefined } = settings;
  const find = () => programOf(row, new Finder(env.PATH ?? ""));
  return {
    name,
    resume,
    history,
    row,
    ownHome,
    ...(mode === undefined ? {} : { mode }),
    ...(lateReplay === undefined ? {} : { lateReplay }),
    ...(definition === undefined ? {} : { definition }),
    missing: () => (find() === null ? missingWords(row) : null),
    version: () => find()?.version ?? null,
    launch: (place) => launchOf(row, find() ?? nothing(row), place, env),
    keeps: ({ home }) => placesIn(row, row.keeps, home ?? env.HOME ?? "", home === null ? env : {}),
    login: ({ home }) => loginOf(row, home ?? env.HOME ?? "", env, home === null),
  };
}

export const demoAgent = (env: NodeJS.ProcessEnv): AgentDefinition => agentOf(demoRow, env);

function launchOf(
  row: AgentRow,
  program: Program,
  place: AgentPlace,
  env: NodeJS.ProcessEnv,
): LaunchSpec {
  const places = placesOf(place, env);
  const own = Object.entries({ ...program.env, ...row.env }).map(([name, value]) => [
    ...[name, filled(value, places)],
  ]);
  return {
    command: program.command,
    args: program.args.map((arg) => filled(arg, places)),
    cwd: place.workspace,
    env: {
      ...allowed(env, row.pass),
      ...(place.home === null ? {} : homeOf(row, place.home)),
      ...Object.fromEntries(own),
    },
  };
}

/** Variables that move the agent's directories into a private home, away from the person's. */
function homeOf({ home: dirs }: AgentRow, home: string): Record<string, string> {
  const own = Object.entries(dirs).map(([name, dir]) => [name, `${home}/${dir}`]);
  return { HOME: home, ...Object.fromEntries(own) };
}

/** Absolute paths of an agent's directories. A variable of the person may have moved them. */
function placesIn(
  row: AgentRow,
  paths: readonly string[],
  home: string,
  env: NodeJS.ProcessEnv,
): string[] {
  return paths.map((path) => {
    const [name, dir] = Object.entries(row.home).find(([, at]) => path.startsWith(`${at}/`)) ?? [];
    const moved = name === undefined ? undefined : env[name];
    return moved && dir ? `${moved}${path.slice(dir.length)}` : `${home}/${path}`;
  });
}

/** Looks for a login; on macOS one that was not found is unknown, because of the keychain. */
function loginOf(
  row: AgentRow,
  home: string,
  env: NodeJS.ProcessEnv,
  isShared: boolean,
): Login | null {
  if (row.login === undefined) return null;
  const { how, env: names, files } = row.login;
  const given = { ...allowed(env, row.pass), ...row.env };
  const places = placesIn(row, files, home, isShared ? env : {});
  const found = names.some((name) => Boolean(given[name])) || places.some(isReadable);
  if (!found && process.platform === "darwin") return null;
  return { found, how, looked: [...names, ...places] };
}

type Places = Readonly<Record<string, string>>;

function placesOf({ workspace, state, home }: AgentPlace, env: NodeJS.ProcessEnv): Places {
  return { workspace, state, home: home ?? env.HOME ?? "" };
}

function filled(text: string, places: Places): string {
  return text.replaceAll(/\{(workspace|state|home)\}/g, (_, name: string) => places[name] ?? "");
}

function missingWords({ title, install }: AgentRow): string {
  const missing = `${title} was not found.`;
  if (install === null) return missing;
  return `${missing} To get it: ${"command" in install ? install.command : install.advice}`;
}

/** Placeholder for a program that was removed after `missing` had found it. */
function nothing({ name }: AgentRow): Program {
  return { command: name, args: [], env: {}, version: null };
}

export function agentView(agent: AgentDefinition): AgentView {
  const missing = agent.missing();
  const { name, resume, history, row } = agent;
  return {
    name,
    installed: missing === null,
    version: agent.version(),
    resume,
    history,
    missing,
    ...(row?.install ? { install: row.install } : {}),
    title: row?.title ?? name,
    hosts: [...(row?.hosts ?? [])],
    ...(row?.tested === undefined ? {} : { tested: row.tested }),
    freeze: row?.freeze ?? false,
    quirks: [...(row?.quirks ?? [])],
  };
}
