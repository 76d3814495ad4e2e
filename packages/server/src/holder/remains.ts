/**
 * Everything that still runs of a holder: those that lead a session of their own, whoever is in it or
 * descends from it, and whoever carries the holder's mark in its environment, since orphans are
 * handed to another parent.
 */

import { setTimeout as delay } from "node:timers/promises";
import {
  listProcesses,
  type ProcessIdentity,
  type ProcessRow,
  processesMarked,
} from "./processes.ts";

export const markName = "HOLDFAST_HOLDER";

export interface Whose {
  readonly holderId: string;
  /**
   * Its agent, and the holder itself where that is to go too. They live, or did a moment ago: later
   * the number of their session may be that of a stranger's, and only the mark tells.
   */
  readonly leaders: readonly ProcessIdentity[];
}

/** A killed process is gone in milliseconds; one in an unfinished system call may take longer. */
const KILL_LIMIT = 5_000;
const LOOK_AGAIN = 5;

export function findRemains(whose: Whose, rows = listProcesses()): ProcessRow[] {
  const { holderId, leaders } = whose;
  const marked = processesMarked(`${markName}=${holderId}`);
  const roots = rows.filter(
    (row) => marked.has(row.pid) || leaders.some((leader) => belongsTo(row, leader)),
  );
  const found = withDescendants(roots, rows);
  return rows.filter(({ pid }) => found.has(pid) && pid !== process.pid);
}

/**
 * Kills until nothing is left and says whether that was reached. What was found once is followed to
 * its end: when its parents are gone, a process without the mark cannot be found again.
 */
export async function killRemains(whose: Whose, limit = KILL_LIMIT): Promise<boolean> {
  const victims = new Map<number, string>();
  const end = performance.now() + limit;
  for (;;) {
    const rows = listProcesses();
    for (const { pid, startTime } of findRemains(whose, rows)) victims.set(pid, startTime);
    const left = rows.filter(({ pid, startTime }) => victims.get(pid) === startTime);
    if (left.length === 0) return true;
    for (const { pid } of left) sendSignal(pid, "SIGKILL");
    if (performance.now() > end) return false;
    await delay(LOOK_AGAIN);
  }
}

/** A negative pid is a group. Nobody there, or not ours to signal, is not an error here. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** A leader's pid is also that of its session and group. */
function belongsTo(row: ProcessRow, leader: ProcessIdentity): boolean {
  if (row.pid === leader.pid) return row.startTime === leader.startTime;
  return row.group === leader.pid || row.session === leader.pid;
}

function withDescendants(roots: readonly ProcessRow[], rows: readonly ProcessRow[]): Set<number> {
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
