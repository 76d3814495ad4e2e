/**
 * Freezes a set of processes by SIGSTOP, where there are no control groups. A process can fork
 * between two looks, so signals are sent until two looks in a row find the same processes, all still.
 */

import { setTimeout as delay } from "node:timers/promises";
import { activityOf, type ProcessRow, sendSignal } from "../base/processes.ts";

const LOOK_AGAIN = 5;

type Find = () => readonly ProcessRow[];

/** The pids that somebody else had stopped before; null when the processes did not stand still. */
export async function stopAll(find: Find, limit: number): Promise<ReadonlySet<number> | null> {
  const already = new Set(find().flatMap(({ pid }) => (isStopped(pid) ? [pid] : [])));
  const end = performance.now() + limit;
  for (let last = ""; performance.now() < end; ) {
    const rows = find();
    for (const { pid } of rows) if (!isStopped(pid)) sendSignal(pid, "SIGSTOP");
    const look = stillness(rows);
    if (look !== null && look === last) return already;
    last = look ?? "";
    await delay(LOOK_AGAIN);
  }
  await continueAll(find, already, limit);
  return null;
}

/** Waits no longer than the limit: somebody else may stop a process again and again. */
export async function continueAll(
  find: Find,
  except: ReadonlySet<number>,
  limit: number,
): Promise<void> {
  for (const end = performance.now() + limit; performance.now() < end; ) {
    // One that a debugger has stopped (`t`) goes on by the debugger alone.
    const stopped = find().filter(({ pid }) => !except.has(pid) && activityOf(pid)?.state === "T");
    if (stopped.length === 0) return;
    for (const { pid } of stopped) sendSignal(pid, "SIGCONT");
    await delay(LOOK_AGAIN);
  }
}

/** True when there are processes, and none of them moves. */
export function areStopped(rows: readonly ProcessRow[]): boolean {
  return rows.length > 0 && rows.every(({ pid }) => isStopped(pid) || isWaiting(pid));
}

/** The processes with their processor time, or null when one of them is not still. */
function stillness(rows: readonly ProcessRow[]): string | null {
  if (!rows.every(({ pid }) => isStopped(pid) || isWaiting(pid))) return null;
  return rows.map(({ pid }) => `${pid}:${activityOf(pid)?.ticks}`).join(" ");
}

/** Stopped, also under a debugger, or gone. */
function isStopped(pid: number): boolean {
  const state = activityOf(pid)?.state;
  return state === undefined || "TtZX".includes(state);
}

/** A parent in vfork cannot be stopped before its child goes on, and uses no processor meanwhile. */
const isWaiting = (pid: number) => activityOf(pid)?.state === "D";
