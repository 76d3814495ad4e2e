import { expect, test } from "vitest";
import type { ProcessRow } from "../../base/processes.ts";
import { type AgentTop, detachedProcessesAmong } from "./holder-processes.ts";

/** By default a lower pid is an older process, and each process leads its own session. */
function row(pid: number, parent: number, over: Partial<ProcessRow> = {}): ProcessRow {
  return { pid, parent, group: pid, session: pid, startTime: String(1000 + pid), ...over };
}

const topOf = ({ pid, startTime }: ProcessRow, isNamespace: boolean): AgentTop => {
  return { pid, startTime, kernelBoot: "boot", isNamespace };
};

function detached(rows: readonly ProcessRow[], marked: readonly number[], top: AgentTop): number[] {
  return detachedProcessesAmong(rows, new Set(marked), top).map(({ pid }) => pid);
}

const init = row(1, 0);
const stranger = row(5, 1);
const holder = row(10, 1);

const agent = row(20, 10);
const itsServer = row(21, 20);
const itsServersChild = row(22, 21);
const own = [init, stranger, holder, agent, itsServer, itsServersChild];
const bare = topOf(agent, false);

test("an agent, its descendants, and processes of other holders are not detached", () => {
  expect(detached(own, [20, 21, 22], bare)).toEqual([]);
});

test("without a namespace a marked process with another parent is detached, with all its descendants", () => {
  const rows = [...own, row(30, 1), row(31, 30), row(40, 5)];
  expect(detached(rows, [20, 21, 22, 30], bare)).toEqual([30, 31]);
});

test("a process without the mark is found by its agent's session or group", () => {
  const rows = [...own, row(30, 1, { session: 20 }), row(31, 1, { group: 20 })];
  expect(detached(rows, [20], bare)).toEqual([30, 31]);
});

const outer = row(20, 10);
const shell = row(21, 20);
const inner = row(22, 21);
const wrapped = [init, stranger, holder, outer, shell, inner, row(23, 22), row(24, 23)];
const top = topOf(outer, true);

test("in a namespace the shell's oldest child is the agent, and the others there are detached", () => {
  expect(detached(wrapped, [20, 21, 22, 23, 24], top)).toEqual([]);
  const rows = [...wrapped, row(30, 21), row(31, 30)];
  expect(detached(rows, [20, 21, 22, 23, 24], top)).toEqual([30, 31]);
});

test("age is decided by the start time, because pids wrap around", () => {
  const late = row(7, 21, { startTime: "9999" });
  expect(detached([...wrapped, late], [], top)).toEqual([7]);
});

test("without its agent no process is detached: the pid may be reused, or belong to the next agent's gate", () => {
  const orphan = row(30, 1);
  expect(detached([init, holder, orphan], [30], bare)).toEqual([]);
  const reused = row(20, 1, { startTime: "5000" });
  expect(detached([init, holder, reused, orphan], [30], bare)).toEqual([]);
  expect(detached([init, holder, outer, shell], [20, 21], top)).toEqual([]);
});

test("a process whose parent is missing in the table is not judged, nor are its descendants", () => {
  const rows = [...own, row(30, 29), row(31, 30), row(32, 1)];
  expect(detached(rows, [30, 31, 32], bare)).toEqual([32]);
});
