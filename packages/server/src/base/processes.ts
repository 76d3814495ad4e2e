/** The process table. Pid, start time and the kernel's boot id identify a process forever. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly kernelBoot: string;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The session id of the process, or 0 when the system does not report it. */
  readonly session: number;
  readonly startTime: string;
}

/** Null when the process does not exist, or is a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const row = hasProc ? procRow(pid) : (psRows(["-p", String(pid)])[0] ?? null);
  return row === null ? null : { pid, startTime: row.startTime, kernelBoot: kernelBoot() };
}

export function isSameProcess(recorded: ProcessIdentity): boolean {
  const now = identify(recorded.pid);
  return now?.startTime === recorded.startTime && now.kernelBoot === recorded.kernelBoot;
}

export function listProcesses(): ProcessRow[] {
  return hasProc ? procPids().flatMap((pid) => procRow(pid) ?? []) : psRows(["-ax"]);
}

/** The state letter of a process, and the processor time it has used; null once it is gone. */
export function activityOf(pid: number): { state: string; ticks: string } | null {
  if (!hasProc) {
    const [state, ticks] = run("ps", ["-p", String(pid), "-o", "state=", "-o", "time="])
      .trim()
      .split(/\s+/);
    return state && ticks ? { state: state[0] ?? "", ticks } : null;
  }
  const fields = procFields(pid);
  return fields === null ? null : { state: fields[0] ?? "", ticks: `${fields[11]}+${fields[12]}` };
}

/** The processes whose initial environment contains `name=value`. */
export function processesMarked(marker: string): Set<number> {
  if (!hasProc) return psMarked(marker);
  const line = Buffer.from(`${marker}\0`);
  return new Set(procPids().filter((pid) => isMarked(pid, line)));
}

/** The pids of the given processes and of everything they started, by parent. */
export function withDescendants(
  roots: readonly ProcessRow[],
  rows: readonly ProcessRow[],
): Set<number> {
  const children = Map.groupBy(rows, ({ parent }) => parent);
  const found = new Set<number>();
  const visit = (pid: number): void => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of children.get(pid) ?? []) visit(child.pid);
  };
  for (const { pid } of roots) visit(pid);
  return found;
}

/** Sends a signal; a negative pid is a group. A missing process, or one of another user, is ignored. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

let boot: string | undefined;

export function kernelBoot(): string {
  boot ??= hasProc
    ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    : run("sysctl", ["-n", "kern.boottime"]).trim();
  return boot;
}

const hasProc = process.platform === "linux";

function procPids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** The fields of a process's `stat` from its state on. */
function procFields(pid: number): string[] | null {
  const stat = readProc(pid, "stat")?.toString("latin1");
  // The name in parentheses may contain any characters, also parentheses and spaces.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? null;
}

function procRow(pid: number): ProcessRow | null {
  const fields = procFields(pid);
  if (fields === null) return null;
  const [state, parent, group, session] = fields;
  if (state === "Z" || state === "X") return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: fields[19] ?? "",
  };
}

/** The entry must stand at the start of the environment or after another entry. */
function isMarked(pid: number, line: Buffer): boolean {
  const environment = readProc(pid, "environ");
  const at = environment?.indexOf(line) ?? -1;
  return at === 0 || (at > 0 && environment?.[at - 1] === 0);
}

/** Undefined when the process has ended meanwhile, or may not be read. */
function readProc(pid: number, name: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

/** Reads processes by `ps`, for systems without /proc such as macOS. */
export function psRows(which: readonly string[]): ProcessRow[] {
  const columns = ["pid=", "ppid=", "pgid=", "stat=", "lstart="].flatMap((name) => ["-o", name]);
  return run("ps", [...which, ...columns])
    .split("\n")
    .flatMap((line) => {
      const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
      if (state === undefined || state.startsWith("Z")) return [];
      const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
      return [{ ...ids, session: 0, startTime: start.join(" ") }];
    });
}

function psMarked(marker: string): Set<number> {
  const lines = run("ps", ["-axEww", "-o", "pid=", "-o", "command="]).split("\n");
  const marked = lines.filter((line) => line.split(" ").includes(marker));
  return new Set(marked.map((line) => Number.parseInt(line, 10)));
}

function run(command: string, args: readonly string[]): string {
  return spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).stdout ?? "";
}
