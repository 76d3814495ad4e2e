/**
 * The processes of this machine, as a table. A pid alone names nobody for long: together with the
 * time its process began and the kernel's boot it does, for ever.
 */

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
  /** The session it belongs to, or 0 where the system does not say. */
  readonly session: number;
  readonly startTime: string;
}

/** Null when there is no such process, or only its remains wait to be collected. */
export function identify(pid: number): ProcessIdentity | null {
  const row = hasProc ? procRow(pid) : (psRows(["-p", String(pid)])[0] ?? null);
  return row === null ? null : { pid, startTime: row.startTime, kernelBoot: kernelBoot() };
}

export function isSameProcess(recorded: ProcessIdentity): boolean {
  const now = identify(recorded.pid);
  return now?.startTime === recorded.startTime && now.kernelBoot === recorded.kernelBoot;
}

/** Everything that runs; what has ended but was not collected yet is not among it. */
export function listProcesses(): ProcessRow[] {
  return hasProc ? procPids().flatMap((pid) => procRow(pid) ?? []) : psRows(["-ax"]);
}

/** The processes whose environment, as they were started with it, holds `name=value`. */
export function processesMarked(marker: string): Set<number> {
  if (!hasProc) return psMarked(marker);
  const line = Buffer.from(`${marker}\0`);
  return new Set(procPids().filter((pid) => isMarked(pid, line)));
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

function procRow(pid: number): ProcessRow | null {
  const stat = readProc(pid, "stat")?.toString("latin1");
  if (stat === undefined) return null;
  // The name in brackets may hold anything, brackets and spaces included.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
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

/** It begins at the start of the environment or behind another entry. */
function isMarked(pid: number, line: Buffer): boolean {
  const environment = readProc(pid, "environ");
  const at = environment?.indexOf(line) ?? -1;
  return at === 0 || (at > 0 && environment?.[at - 1] === 0);
}

/** Processes come and go while one looks, and some may not be looked at. */
function readProc(pid: number, name: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

/** Where there is no /proc, as on macOS. */
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
