/** Sandboxes of this machine's own processes; the providers differ in the command they spawn. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  identify,
  listProcesses,
  type ProcessIdentity,
  type ProcessRow,
  sendSignal,
  withDescendants,
} from "../base/processes.ts";
import { bubblewrapCommand, type Machine } from "./bubblewrap.ts";
import type { Cgroup, Cgroups } from "./cgroups.ts";
import { makeMountPoints } from "./make-mount-points.ts";
import type { Command, Health, ProgramToRun, Sandboxes } from "./sandbox.ts";
import type { Limits, Shape } from "./shape.ts";
import { areStopped, continueAll, stopAll } from "./signal-freezer.ts";

/** Fifty processes stop in some 200 ms; one in an unfinished system call may take longer. */
const FREEZE_LIMIT = 5_000;
const THAW_LIMIT = 5_000;
const KILL_LIMIT = 5_000;
const LOOK_AGAIN = 5;

interface LocalOptions {
  /** Null where signals must do. */
  readonly cgroups: Cgroups | null;
  /** All processes of a sandbox, when no group and no pid namespace holds them. */
  readonly findProcesses: (id: string, leaders: readonly ProcessIdentity[]) => ProcessRow[];
}

/** No boundary: the program has all rights of the host's user. */
export function processSandboxes(options: LocalOptions): Sandboxes {
  const wrap = (shape: Shape, program: ProgramToRun): Command => ({
    file: program.command,
    args: program.args,
    env: Object.fromEntries(
      Object.entries(program.env).filter(([name]) => shape.environment.includes(name)),
    ),
    cwd: shape.cwd,
    feeds: [],
  });
  return new LocalSandboxes("process", wrap, options);
}

export function bubblewrapSandboxes(cgroups: Cgroups | null, machine: Machine): Sandboxes {
  const wrap = (shape: Shape, program: ProgramToRun): Command => {
    makeMountPoints(shape);
    return bubblewrapCommand(shape, program, machine);
  };
  return new LocalSandboxes("bubblewrap", wrap, { cgroups, findProcesses: descendants });
}

/** In a pid namespace an orphan becomes a child of its first process, so no process is missed. */
function descendants(_id: string, leaders: readonly ProcessIdentity[]): ProcessRow[] {
  const rows = listProcesses();
  const isLeader = ({ pid, startTime }: ProcessRow) =>
    leaders.some((leader) => leader.pid === pid && leader.startTime === startTime);
  const found = withDescendants(rows.filter(isLeader), rows);
  return rows.filter(({ pid }) => found.has(pid));
}

interface Kept {
  readonly leaders: Set<ProcessIdentity>;
  readonly group: Cgroup | null;
  readonly limits: Limits;
  /** While frozen by signals: the processes that were stopped before. */
  stopped: ReadonlySet<number> | null;
}

type Wrap = (shape: Shape, program: ProgramToRun) => Command;

class LocalSandboxes implements Sandboxes {
  readonly provider: Sandboxes["provider"];
  readonly #wrap: Wrap;
  readonly #options: LocalOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(provider: Sandboxes["provider"], wrap: Wrap, options: LocalOptions) {
    this.provider = provider;
    this.#wrap = wrap;
    this.#options = options;
  }

  spawn(id: string, shape: Shape, program: ProgramToRun): ChildProcess {
    const kept = this.#keep(id, shape.limits);
    const command = entering(this.#wrap(shape, program), kept.group);
    const child = spawn(command.file, [...command.args], {
      cwd: command.cwd,
      env: command.env,
      stdio: [...program.stdio, ...command.feeds.map(() => "pipe" as const)],
      detached: true,
    });
    feed(child, program.stdio.length, command.feeds);
    const leader = child.pid === undefined ? null : identify(child.pid);
    if (leader !== null) {
      kept.leaders.add(leader);
      child.once("exit", () => kept.leaders.delete(leader));
    }
    return child;
  }

  async freeze(id: string): Promise<void> {
    const kept = this.#found(id);
    if (kept.group !== null) {
      if (await kept.group.freeze(FREEZE_LIMIT)) return;
    } else {
      kept.stopped ??= await stopAll(() => this.#rows(id, kept), FREEZE_LIMIT);
      if (kept.stopped !== null) return;
    }
    throw new Error(`The processes of sandbox ${id} did not stop within ${FREEZE_LIMIT / 1000} s.`);
  }

  async thaw(id: string): Promise<void> {
    const kept = this.#found(id);
    const { group, stopped } = kept;
    if (group?.exists) await group.thaw(THAW_LIMIT);
    if (group === null) {
      await continueAll(() => this.#rows(id, kept), stopped ?? new Set(), THAW_LIMIT);
      kept.stopped = null;
    }
  }

  async health(id: string): Promise<Health> {
    try {
      const kept = this.#found(id);
      const rows = this.#rows(id, kept);
      if (rows.length === 0 && (kept.group?.isEmpty ?? true)) return "gone";
      const { group } = kept;
      const isFrozen =
        group === null ? kept.stopped !== null && areStopped(rows) : group.exists && group.isFrozen;
      return isFrozen ? "frozen" : "ready";
    } catch {
      return "unreachable";
    }
  }

  async release(id: string): Promise<void> {
    const kept = this.#found(id);
    const targets = new Map<number, string>();
    const end = performance.now() + KILL_LIMIT;
    for (;;) {
      for (const { pid, startTime } of this.#rows(id, kept)) targets.set(pid, startTime);
      const left = listProcesses().filter(({ pid, startTime }) => targets.get(pid) === startTime);
      kept.group?.kill();
      for (const { pid } of left) sendSignal(pid, "SIGKILL");
      if (left.length === 0 && (kept.group?.isEmpty ?? true)) break;
      if (performance.now() > end) throw new Error(`Sandbox ${id} still has processes.`);
      await delay(LOOK_AGAIN);
    }
    kept.group?.remove();
    this.#kept.delete(id);
  }

  async list(): Promise<string[]> {
    const groups = this.#options.cgroups?.ids() ?? [];
    return [...new Set([...this.#kept.keys(), ...groups])];
  }

  unlimited(id: string): readonly (keyof Limits)[] {
    const { group, limits } = this.#found(id);
    return group?.unlimited ?? (Object.keys(limits) as (keyof Limits)[]);
  }

  #keep(id: string, limits: Limits): Kept {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const group = this.#options.cgroups?.make(id, limits) ?? null;
    const kept: Kept = { leaders: new Set(), group, limits, stopped: null };
    this.#kept.set(id, kept);
    return kept;
  }

  /** A sandbox of an earlier process is known by its group alone. */
  #found(id: string): Kept {
    const group = this.#options.cgroups?.open(id) ?? null;
    return this.#kept.get(id) ?? { leaders: new Set(), group, limits: {}, stopped: null };
  }

  #rows(id: string, { leaders }: Kept): ProcessRow[] {
    return this.#options.findProcesses(id, [...leaders]);
  }
}

/** A shell joins the group and becomes the program, so that no process of it was ever outside. */
function entering(command: Command, group: Cgroup | null): Command {
  if (group === null) return command;
  const { doors } = group;
  const script = [
    `n=${doors.length}`,
    'while [ "$n" -gt 0 ]; do echo 0 >"$1" || exit 126; shift; n=$((n - 1)); done',
    ...["PWD", "OLDPWD", "SHLVL"].flatMap((name) => (name in command.env ? [] : [`unset ${name}`])),
    'exec "$@"',
  ];
  const args = ["-c", script.join("\n"), "enter", ...doors, command.file, ...command.args];
  return { ...command, file: "/bin/sh", args };
}

function feed(child: ChildProcess, first: number, feeds: readonly Buffer[]): void {
  for (const [at, bytes] of feeds.entries()) {
    const pipe = child.stdio[first + at] as Writable | null | undefined;
    // A program that ends before it has read everything tells by its exit.
    pipe?.on("error", () => undefined);
    pipe?.end(bytes);
  }
}
