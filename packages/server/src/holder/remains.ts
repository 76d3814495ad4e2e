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

export function findRemains(
  whose: Whose,
  rows: readonly ProcessRow[] = listProcesses(),
): ProcessRow[] {
  const { holderId, leaders } = whose;
  return remainsAmong(rows, processesMarked(`${markName}=${holderId}`), leaders);
}

function remainsAmong(
  rows: readonly ProcessRow[],
  marked: ReadonlySet<number>,
  leaders: readonly ProcessIdentity[],
): ProcessRow[] {
  const roots = rows.filter(
    (row) => marked.has(row.pid) || leaders.some((leader) => belongsTo(row, leader)),
  );
  const found = withDescendants(roots, rows);
  return rows.filter(({ pid }) => found.has(pid) && pid !== process.pid);
}

/** The process that was spawned for a living agent. */
export interface AgentTop extends ProcessIdentity {
  /** Then it has a shell below it, which has the agent and collects the orphans. */
  readonly isNamespace: boolean;
}

/**
 * What hangs on to a living agent and is not its own any more: all of its holder but the agent, what
 * descends from it, and what stands above it. Once the agent is gone there is none, only remains.
 */
export function straysAmong(
  rows: readonly ProcessRow[],
  marked: ReadonlySet<number>,
  top: AgentTop,
): ProcessRow[] {
  const agent = agentBelow(rows, top);
  if (agent === null) return [];
  const kept = withDescendants([agent], rows);
  const above = new Set([top.pid, agent.parent]);
  const unsure = withDescendants(torn(rows), rows);
  return remainsAmong(rows, marked, [top]).filter(
    ({ pid }) => !kept.has(pid) && !above.has(pid) && !unsure.has(pid),
  );
}

function agentBelow(rows: readonly ProcessRow[], top: AgentTop): ProcessRow | null {
  const first = rows.find(({ pid, startTime }) => pid === top.pid && startTime === top.startTime);
  if (first === undefined || !top.isNamespace) return first ?? null;
  const shell = oldestChild(rows, first);
  return shell === null ? null : oldestChild(rows, shell);
}

/** Whoever was handed to this parent later is younger than the child it began with. */
function oldestChild(rows: readonly ProcessRow[], { pid: parent }: ProcessRow): ProcessRow | null {
  const children = rows.filter((row) => row.parent === parent);
  const byAge = (a: ProcessRow, b: ProcessRow) =>
    Number(a.startTime) - Number(b.startTime) || a.pid - b.pid;
  return children.sort(byAge)[0] ?? null;
}

/** The table is not read in one instant: whose parent is missing in it may be anybody's, for now. */
function torn(rows: readonly ProcessRow[]): ProcessRow[] {
  const pids = new Set(rows.map(({ pid }) => pid));
  return rows.filter(({ parent }) => parent > 1 && !pids.has(parent));
}

/** Kills until nothing is left and says whether that was reached. */
export async function killRemains(whose: Whose, limit = KILL_LIMIT): Promise<boolean> {
  const victims: Victims = new Map();
  const end = performance.now() + limit;
  for (;;) {
    const left = follow(victims, (rows) => findRemains(whose, rows));
    if (left.length === 0) return true;
    for (const { pid } of left) sendSignal(pid, "SIGKILL");
    if (performance.now() > end) return false;
    await delay(LOOK_AGAIN);
  }
}

/**
 * Kills what hangs on to a living agent, at once, and looks again for a while: what the agent was
 * ending when it said that it is done leaves its children a moment later. Once it has work again,
 * what it starts is wanted, and nothing new is looked for.
 */
export async function killStrays(
  holderId: string,
  top: AgentTop,
  hasWork: AbortSignal,
): Promise<void> {
  const victims: Victims = new Map();
  const find = (rows: readonly ProcessRow[]) =>
    hasWork.aborted ? [] : straysAmong(rows, processesMarked(`${markName}=${holderId}`), top);
  const end = performance.now() + KILL_LIMIT;
  for (let pause = LOOK_AGAIN; performance.now() < end; pause *= 2) {
    const left = follow(victims, find);
    for (const { pid } of left) sendSignal(pid, "SIGKILL");
    if (left.length > 0) pause = LOOK_AGAIN;
    else if (hasWork.aborted) return;
    await delay(pause);
  }
}

/** What is to go: its pid, and when it began. */
type Victims = Map<number, string>;

/**
 * Who of them is still there. What was found once is followed to its end: when its parents are gone,
 * a process without the mark cannot be found again.
 */
function follow(
  victims: Victims,
  find: (rows: readonly ProcessRow[]) => readonly ProcessRow[],
): ProcessRow[] {
  const rows = listProcesses();
  for (const { pid, startTime } of find(rows)) victims.set(pid, startTime);
  return rows.filter(({ pid, startTime }) => victims.get(pid) === startTime);
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
