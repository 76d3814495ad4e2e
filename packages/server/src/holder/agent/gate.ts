/**
 * Starts an agent behind a gate: a shell that says `ready`, waits for `go` and only then becomes
 * the agent. If either side dies before `go`, the pipe closes and the agent never starts.
 *
 * The gate runs in a pid namespace if the machine allows one: the kernel then ends all its processes
 * with the holder, also double-forked ones. Its parent-death signals are set before `ready`, so that the agent never
 * runs without them.
 */

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { namespacesAllowed } from "../processes/config.ts";
import type { LaunchSpec } from "../spool/frames.ts";

/** A separate descriptor, so that the gate reads no byte of the agent's own stdin. */
export const gateFd = 3;

interface Gate {
  readonly command: string;
  readonly args: readonly string[];
  /** True when the parent is a shell in a pid namespace, which turns signals into codes. */
  readonly isNamespace: boolean;
}

const shell = "/bin/sh";

export function gateFor(namespaces: boolean, umask: number, spec: LaunchSpec): Gate {
  const { command, args, env } = spec;
  const wrap = namespaces ? namespaceWrap() : null;
  const script = [
    ...waitForGo(),
    // Restores the user's umask; the holder's own umask is stricter.
    `umask ${umask.toString(8)}`,
    ...dropOwn(env),
    ...(wrap === null ? becomeAgent : parentOfAgent),
  ];
  const gate = [shell, "-c", script.join("\n"), "gate", command, ...args];
  const [first = shell, ...rest] = [...(wrap ?? []), ...gate];
  return { command: first, args: rest, isNamespace: wrap !== null };
}

/** Refuses names that a shell drops or sets: an agent gets exactly its environment. */
export function isCarried(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !setByShells.has(name);
}

const setByShells = new Set(["IFS", "OPTIND", "PPID"]);

/** Unsets the variables that shells add by themselves. */
function dropOwn(env: LaunchSpec["env"]): string[] {
  const added = ["PWD", "OLDPWD", "SHLVL"].filter((name) => !Object.hasOwn(env, name));
  return added.map((name) => `unset ${name}`);
}

/** A holder that neither dies nor says go is stuck: the gate gives up after 5 s. */
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
 * As pid 1 an agent would ignore signals without a handler, and would not reap orphans. A shell
 * does both for it, silently, because its messages must not appear in the agent's stderr.
 */
const parentOfAgent = ["exec 4>&2 2>/dev/null", '(exec "$@" 2>&4 4>&-)', "exit $?"];

let tried: readonly string[] | null | undefined;

/** Runs the check for namespaces ahead of time. */
export function tryNamespaces(): void {
  namespaceWrap();
}

/** True when this machine can end all processes of an agent together with the agent. */
export function hasNamespaces(): boolean {
  return namespacesAllowed() && namespaceWrap() !== null;
}

/** Tried once per holder, because root rights and the programs do not guarantee permission. */
function namespaceWrap(): readonly string[] | null {
  if (tried === undefined) tried = firstThatWorks();
  return tried;
}

function firstThatWorks(): readonly string[] | null {
  const [setpriv, unshare] = [findProgram("setpriv"), findProgram("unshare")];
  if (process.getuid?.() !== 0 || setpriv === null || unshare === null) return null;
  const wrap = [setpriv, "--pdeathsig", "KILL", unshare, "--pid", "--fork", "--kill-child=KILL"];
  // With its own /proc an agent sees its real pids, and not the host's environment.
  const withProc = [...wrap, "--mount-proc", "--propagation", "slave"];
  return [withProc, wrap].find(works) ?? null;
}

function works([command = "", ...args]: readonly string[]): boolean {
  const { status } = spawnSync(command, [...args, shell, "-c", "exit 42"], { timeout: 2_000 });
  return status === 42;
}

/** Searches fixed directories, because PATH belongs to the agent. */
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
