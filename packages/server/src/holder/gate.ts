/**
 * How an agent is started: behind a gate, a shell that says `ready`, waits for `go` and only then
 * becomes the agent. Whoever dies in between leaves nothing: the gate's line to its holder ends.
 *
 * Where it can be had, all this is in a pid namespace that the kernel ends with the holder, double
 * forks included. The parent-death signals in it are set before `ready` is said, so that there is no
 * moment in which the agent could run without them.
 */

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { namespacesAllowed } from "./config.ts";
import type { LaunchSpec } from "./frames.ts";

/** The gate talks on this descriptor, so that no byte of the agent's own stdin can be lost in it. */
export const gateFd = 3;

export interface Gate {
  readonly command: string;
  readonly args: readonly string[];
  /** Then a shell inside it is the agent's parent, and turns signals into exit codes. */
  readonly isNamespace: boolean;
}

const shell = "/bin/sh";

export function gateFor(namespaces: boolean, umask: number, spec: LaunchSpec): Gate {
  const { command, args, env } = spec;
  const wrap = namespaces ? namespaceWrap() : null;
  const script = [
    ...waitForGo(),
    // The holder's own is for its files: what an agent makes is as open as its user wants it.
    `umask ${umask.toString(8)}`,
    ...dropOwn(env),
    ...(wrap === null ? becomeAgent : parentOfAgent),
  ];
  const gate = [shell, "-c", script.join("\n"), "gate", command, ...args];
  const [first = shell, ...rest] = [...(wrap ?? []), ...gate];
  return { command: first, args: rest, isNamespace: wrap !== null };
}

/** An agent gets exactly the environment it was given: the names a shell drops or sets are refused. */
export function isCarried(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !setByShells.has(name);
}

const setByShells = new Set(["IFS", "OPTIND", "PPID"]);

/** What shells add by themselves. */
function dropOwn(env: LaunchSpec["env"]): string[] {
  const added = ["PWD", "OLDPWD", "SHLVL"].filter((name) => !Object.hasOwn(env, name));
  return added.map((name) => `unset ${name}`);
}

/** A holder that neither dies nor says go is stuck: after 5 s the gate gives up, where it can. */
function waitForGo(): string[] {
  const [timeout, head] = [findProgram("timeout"), findProgram("head")];
  const read =
    timeout === null || head === null
      ? `read -r go <&${gateFd}`
      : `go=$(${timeout} 5 ${head} -n 1 <&${gateFd})`;
  return [`echo ready >&${gateFd}`, read, '[ "$go" = go ] || exit 125', `exec ${gateFd}>&-`];
}

const becomeAgent = ['exec "$@"'];

/**
 * As pid 1 an agent would not die of signals it has no handler for, nor collect orphans: a shell
 * does both for it, in silence, since its word on how the agent died is not the agent's stderr.
 */
const parentOfAgent = ["exec 4>&2 2>/dev/null", '(exec "$@" 2>&4 4>&-)', "exit $?"];

let tried: readonly string[] | null | undefined;

/** Beforehand, where there is time for it. */
export function tryNamespaces(): void {
  namespaceWrap();
}

/** True when this machine ends all that an agent started together with the agent. */
export function hasNamespaces(): boolean {
  return namespacesAllowed() && namespaceWrap() !== null;
}

/** Tried once per holder: being root and having the programs does not mean being allowed to. */
function namespaceWrap(): readonly string[] | null {
  if (tried === undefined) tried = firstThatWorks();
  return tried;
}

function firstThatWorks(): readonly string[] | null {
  const [setpriv, unshare] = [findProgram("setpriv"), findProgram("unshare")];
  if (process.getuid?.() !== 0 || setpriv === null || unshare === null) return null;
  const wrap = [setpriv, "--pdeathsig", "KILL", unshare, "--pid", "--fork", "--kill-child=KILL"];
  // With its own /proc an agent sees the pids it has, and not the environment of the host.
  const withProc = [...wrap, "--mount-proc", "--propagation", "slave"];
  return [withProc, wrap].find(works) ?? null;
}

function works([command = "", ...args]: readonly string[]): boolean {
  const { status } = spawnSync(command, [...args, shell, "-c", "exit 42"], { timeout: 2_000 });
  return status === 42;
}

/** Not by PATH: that is the agent's. */
function findProgram(name: string): string | null {
  const places = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"];
  return places.map((place) => `${place}/${name}`).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
