/** Agents are data: how each is started here, and what it is good for. */

import type { AgentView, Json } from "@holdfast/protocol";
import type { LaunchSpec } from "../holder/frames.ts";
import { Finder, isReadable } from "./find.ts";
import { type Program, programOf } from "./program.ts";
import type { AgentRow } from "./row.ts";
import { demoRow } from "./rows.ts";

export interface AgentPlace {
  /** Where it works. */
  readonly workspace: string;
  /** Its own state, kept for the session. */
  readonly state: string;
  /** A home of the session's own; null where it shares the person's. */
  readonly home: string | null;
  /** As the session's pinned definition has them. */
  readonly mcpServers: readonly Json[];
}

export interface AgentDefinition {
  readonly name: string;
  /** `native`: it can load its own session again, and is asked to. */
  readonly resume: "native" | "none";
  readonly history: "inject" | "fallback" | "never";
  /** The mode of its session in which it asks its user, where it does not begin in it. */
  readonly mode?: string;
  /** For how long (ms) its replay may go on after it said that its session is loaded. */
  readonly lateReplay?: number;
  /** Each session has a home of its own for it. */
  readonly ownHome?: boolean;
  /** The directory whose content is pinned in each new session, and laid over its home. */
  readonly definition?: string;
  /** What people are told of it, where it comes from the table. */
  readonly row?: AgentRow;
  /** Null when it can be started here, else what to do about it. */
  missing(): string | null;
  version(): string | null;
  launch(place: AgentPlace): LaunchSpec;
  /** Where it keeps its sessions when it works in this place. */
  keeps?(place: AgentPlace): readonly string[];
  /** True when a login was found, false when none was; null where that cannot be told. */
  login?(place: AgentPlace): Login | null;
}

export interface Login {
  readonly found: boolean;
  /** The command that logs a person in. */
  readonly how: string;
  /** Variables and files that were looked for. */
  readonly looked: readonly string[];
}

/** What of the host's environment every agent may see. */
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

/** What a row means on this machine, for a host with this environment. */
export function agentOf(
  row: AgentRow,
  env: NodeJS.ProcessEnv,
  settings: RowSettings = {},
): AgentDefinition {
  const { name, resume, history, mode, lateReplay } = row;
  const { definition, ownHome = definition !== undefined } = settings;
  const find = () => programOf(row, new Finder(env.PATH ?? ""));
  return {
    ...{ name, resume, history, row, ownHome },
    ...(mode === undefined ? {} : { mode }),
    ...(lateReplay === undefined ? {} : { lateReplay }),
    ...(definition === undefined ? {} : { definition }),
    missing: () =>
      find() === null ? `${row.title} was not found. To get it: ${row.install}` : null,
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

/** The variables that lead it into a home of the session's own, and to nothing in the person's. */
function homeOf({ home: dirs }: AgentRow, home: string): Record<string, string> {
  const own = Object.entries(dirs).map(([name, dir]) => [name, `${home}/${dir}`]);
  return { HOME: home, ...Object.fromEntries(own) };
}

/** A variable of the person's may have moved the directory that it is kept in. */
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

/** A system's keychain is not looked into: where one may hold the login, nobody can tell. */
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

/** Whoever asks whether it is missing first never gets here; whoever removed it since then does. */
function nothing({ name }: AgentRow): Program {
  return { command: name, args: [], env: {}, version: null };
}

export function agentView(agent: AgentDefinition): AgentView {
  const missing = agent.missing();
  const { name, resume, history, row } = agent;
  return {
    ...{ name, installed: missing === null, version: agent.version(), resume, history, missing },
    ...{ title: row?.title ?? name, hosts: [...(row?.hosts ?? [])] },
    ...(row?.tested === undefined ? {} : { tested: row.tested }),
    ...{ freeze: row?.freeze ?? false, quirks: [...(row?.quirks ?? [])] },
  };
}
