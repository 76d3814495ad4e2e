/**
 * Finds all processes of a holder: the leaders, the members of their sessions and groups, their
 * descendants, and every process with the holder's mark in its environment, because orphans get
 * another parent.
 */

import { setTimeout as delay } from "node:timers/promises";
import {
  listProcesses,
  type ProcessIdentity,
  type ProcessRow,
  processesMarked,
  sendSignal,
  withDescendants,
} from "../../base/processes.ts";

export const markName = "HOLDFAST_HOLDER";

interface ProcessOwner {
  readonly holderId: string;
  /**
   * The agent, and the holder itself when it is to end too. Both must be running, or have been a
   * moment ago: later their session id may be reused, and only the mark is reliable.
   */
  readonly leaders: readonly ProcessIdentity[];
}

/** A killed process ends in milliseconds; one in an unfinished system call may take longer. */
const KILL_LIMIT = 5_000;
const LOOK_AGAIN = 5;

export function findHolderProcesses(
  owner: ProcessOwner,
  rows: readonly ProcessRow[] = listProcesses(),
): ProcessRow[] {
  const { holderId, leaders } = owner;
  return holderProcessesAmong(rows, processesMarked(`${markName}=${holderId}`), leaders);
}

function holderProcessesAmong(
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

export interface AgentTop extends ProcessIdentity {
  /** With a namespace, a shell below this process is the agent's parent and reaps the orphans. */
  readonly isNamespace: boolean;
}

/** Detached processes of a running agent: neither the agent, nor descendants or ancestors. */
export function detachedProcessesAmong(
  rows: readonly ProcessRow[],
  marked: ReadonlySet<number>,
  top: AgentTop,
): ProcessRow[] {
  const agent = agentBelow(rows, top);
  if (agent === null) return [];
  const kept = withDescendants([agent], rows);
  const above = new Set([top.pid, agent.parent]);
  const unsure = withDescendants(torn(rows), rows);
  return holderProcessesAmong(rows, marked, [top]).filter(
    ({ pid }) => !kept.has(pid) && !above.has(pid) && !unsure.has(pid),
  );
}

/** The agent itself: below the process that was spawned for it, when that made a namespace. */
export function agentBelow(rows: readonly ProcessRow[], top: AgentTop): ProcessRow | null {
  const first = rows.find(({ pid, startTime }) => pid === top.pid && startTime === top.startTime);
  if (first === undefined || !top.isNamespace) return first ?? null;
  const shell = oldestChild(rows, first);
  return shell === null ? null : oldestChild(rows, shell);
}

/** Processes that are reparented to this parent later are younger than its first child. */
function oldestChild(rows: readonly ProcessRow[], { pid: parent }: ProcessRow): ProcessRow | null {
  const children = rows.filter((row) => row.parent === parent);
  const byAge = (a: ProcessRow, b: ProcessRow) =>
    Number(a.startTime) - Number(b.startTime) || a.pid - b.pid;
  return children.sort(byAge)[0] ?? null;
}

/** The table is not read atomically: a process whose parent is missing in it cannot be judged yet. */
function torn(rows: readonly ProcessRow[]): ProcessRow[] {
  const pids = new Set(rows.map(({ pid }) => pid));
  return rows.filter(({ parent }) => parent > 1 && !pids.has(parent));
}

/** Kills until no process is left; false when the time was over first. */
export async function killHolderProcesses(
  owner: ProcessOwner,
  limit = KILL_LIMIT,
): Promise<boolean> {
  const targets: Targets = new Map();
  const end = performance.now() + limit;
  for (;;) {
    const left = follow(targets, (rows) => findHolderProcesses(owner, rows));
    if (left.length === 0) return true;
    for (const { pid } of left) sendSignal(pid, "SIGKILL");
    if (performance.now() > end) return false;
    await delay(LOOK_AGAIN);
  }
}

/**
 * Kills detached processes of a running agent, and checks again for a while, because processes that
 * the agent was ending leave their children a moment later. Once the agent has a new request, its
 * new processes are wanted, and the search stops.
 */
export async function killDetachedProcesses(
  holderId: string,
  top: AgentTop,
  hasWork: AbortSignal,
): Promise<void> {
  const targets: Targets = new Map();
  const find = (rows: readonly ProcessRow[]) =>
    hasWork.aborted
      ? []
      : detachedProcessesAmong(rows, processesMarked(`${markName}=${holderId}`), top);
  const end = performance.now() + KILL_LIMIT;
  for (let pause = LOOK_AGAIN; performance.now() < end; pause *= 2) {
    const left = follow(targets, find);
    for (const { pid } of left) sendSignal(pid, "SIGKILL");
    if (left.length > 0) pause = LOOK_AGAIN;
    else if (hasWork.aborted) return;
    await delay(pause);
  }
}

type Targets = Map<number, string>;

/** Running targets, tracked to their end: an orphan without the mark cannot be found again. */
function follow(
  targets: Targets,
  find: (rows: readonly ProcessRow[]) => readonly ProcessRow[],
): ProcessRow[] {
  const rows = listProcesses();
  for (const { pid, startTime } of find(rows)) targets.set(pid, startTime);
  return rows.filter(({ pid, startTime }) => targets.get(pid) === startTime);
}

/** A leader's pid is also the id of its session and group. */
function belongsTo(row: ProcessRow, leader: ProcessIdentity): boolean {
  if (row.pid === leader.pid) return row.startTime === leader.startTime;
  return row.group === leader.pid || row.session === leader.pid;
}
