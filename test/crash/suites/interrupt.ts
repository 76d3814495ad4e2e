/**
 * [P12]: a host dies with runs open, and its next boots die while they recover. After any number of
 * crashes each run has one interruption, and every open question can still be answered.
 */

import { join } from "node:path";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { judge } from "../audit.ts";
import { Driven } from "../children.ts";
import type { Job } from "../driver.ts";
import { killAt, mostPerThread, oneThread, type Syscall, strace, whyNoStrace } from "../faults.ts";
import type { Final } from "../history.ts";
import { dropFolder, newFolder } from "../places.ts";
import { type Entry, notes } from "../records.ts";
import { count, openSession, type Served, served } from "../served.ts";

const KINDS = ["stall", "stall", "stall", "ask", "await"] as const;
const RUNS = 25;
const STALLED = (RUNS * 3) / 5;
const CALLS: readonly Syscall[] = ["pwrite64", "fsync", "fdatasync"];

export const interrupt: Suite = {
  name: "interrupt",
  async run(context) {
    const groups = context.short ? 1 : Math.ceil(500 / STALLED);
    const title =
      `${groups * STALLED} running and ${groups * (RUNS - STALLED)} waiting runs, killed, then killed in 3 boots:` +
      " one interruption each, waits stay [P12] [R002-51] [R002-32] [R002-28] [R002-29] [R002-30]" +
      " [R002-31] [R002-33] [R002-3] [F3]";
    const why = whyNoStrace();
    if (why === null) await context.test(title, () => crashedBoots(context, groups));
    else context.skip(title, why);
    await context.test(
      "a pending approval survives 10 kills and is answered once [P19] [R002-51]",
      () => served((host) => pendingApproval(host, 10)),
    );
  },
};

async function crashedBoots(context: Context, groups: number): Promise<string[]> {
  const calls = await bootCalls();
  const points = Array.from({ length: groups }, () =>
    // Each boot that died has left less work for the next one, and the grouping of calls varies.
    [0.6, 0.4, 0.2].map((left) => {
      const call = context.random.pick(CALLS.filter((name) => (calls.get(name) ?? 0) > 2));
      return { call, n: 1 + context.random.below(Math.ceil((calls.get(call) ?? 1) * left)) };
    }),
  );
  let killed = 0;
  const problems = await eachPoint(context, points, async (boots) => {
    const outcome = await crashedGroup(boots);
    killed += outcome.killed;
    return outcome.problems;
  });
  context.say(`${killed} of ${3 * groups} boots died in recovery`);
  if (killed < Math.ceil(groups / 2)) problems.push(`void: only ${killed} boots died`);
  return problems;
}

const jobIn = (folder: string, work: Job["work"]): Job => ({
  data: join(folder, "data"),
  records: join(folder, "records"),
  work,
});

async function openGroup(options: { mutant?: string } = {}): Promise<string> {
  const folder = newFolder("interrupt");
  const host = new Driven(jobIn(folder, { name: "open", runs: RUNS, kinds: KINDS }), options);
  await host.word("open");
  await host.kill();
  return folder;
}

/** Number of calls that a boot with this many open runs makes before it is ready. */
async function bootCalls(): Promise<ReadonlyMap<Syscall, number>> {
  const folder = await openGroup();
  const log = join(folder, "calls");
  const host = new Driven(jobIn(folder, { name: "boot", close: false }), {
    under: strace([], CALLS, log),
    env: oneThread,
  });
  await host.word("ready");
  await host.kill();
  const counts = mostPerThread(log);
  dropFolder(folder);
  return counts;
}

export async function crashedGroup(
  boots: readonly { readonly call: Syscall; readonly n: number }[],
  options: { mutant?: string } = {},
): Promise<{ killed: number; problems: string[] }> {
  const folder = await openGroup(options);
  let killed = 0;
  let host: Driven | undefined;
  for (const { call, n } of boots) {
    host = new Driven(jobIn(folder, { name: "boot", close: false }), {
      under: killAt(call, n),
      env: oneThread,
      ...options,
    });
    await host.word("ready").catch(() => killed++);
    await host.kill();
  }
  // One complete boot of the same build, then the audit's own: neither may add an interruption.
  host = new Driven(jobIn(folder, { name: "boot", close: false }), options);
  const problems: string[] = [];
  await host.word("ready").catch((error: Error) => problems.push(`no boot: ${error.message}`));
  await host.kill();
  const entries = host.entries();
  const judged = await judge(join(folder, "data"), entries, { atLeast: 2 * RUNS });
  problems.push(...judged.problems);
  if (judged.final !== null) problems.push(...settledOnce(entries, judged.final, judged.recovery));
  dropFolder(folder);
  return { killed, problems };
}

interface OpenRun {
  readonly session: string;
  readonly kind: string;
  readonly runId: string;
}

interface Fact {
  readonly kind: string;
  readonly runId?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly bootId?: string;
  readonly synthetic?: boolean;
}

function settledOnce(
  entries: readonly Entry[],
  final: Final,
  recovery: Readonly<Record<string, readonly string[]>>,
): string[] {
  const problems: string[] = [];
  const sessions = new Map(final.sessions.map((session) => [session.id, session]));
  for (const { session, kind, runId } of notes(entries, "run") as OpenRun[]) {
    const facts = (sessions.get(session)?.lines ?? []).map((line) => JSON.parse(line) as Fact);
    const about = (name: string) =>
      facts.filter((fact) => fact.kind === name && fact.runId === runId);
    const interrupted = about("run.interrupted");
    const say = (problem: string) => problems.push(`${kind} ${session}: ${problem}`);
    if (kind !== "stall") {
      if (interrupted.length > 0) say("a waiting run was interrupted");
      if (!recovery.waiting?.includes(session)) say("recovery does not list it as waiting");
      continue;
    }
    if (interrupted.length !== 1) say(`${interrupted.length} interruptions`);
    if (interrupted[0]?.reason !== "process_restart") say(`reason ${interrupted[0]?.reason}`);
    const started = about("run.started")[0];
    if (interrupted[0]?.bootId === started?.bootId) say("the interruption names the old boot");
    const closed = facts.filter((fact) => fact.kind === "tool.finished");
    if (closed.length !== 1 || closed[0]?.status !== "unknown" || closed[0].synthetic !== true) {
      say(`its open tool call was closed as ${JSON.stringify(closed)}`);
    }
    const derived = facts.filter((fact) => fact.kind === "status.derived").at(-1);
    if (derived?.status !== "interrupted_startup") say(`derived status ${derived?.status}`);
  }
  return problems;
}

async function pendingApproval(host: Served, restarts: number): Promise<string[]> {
  const { wire } = host;
  const { session, run } = await openSession(wire, "ask", "waiting");
  const problems: string[] = [];
  for (let i = 0; i < restarts; i++) {
    await host.restart();
    const now = await wire.get<typeof run>(session, "waiting");
    if (now.id !== run.id || now.approvals[0]?.id !== run.approvals[0]?.id) {
      problems.push(`restart ${i}: another question is asked`);
    }
  }
  const input = { runId: run.id, approvalId: run.approvals[0]?.id, decision: "allow" };
  const answers = await Promise.all(
    ["one", "two", "three"].map((by) => wire.ask(session, "decide", { ...input, by })),
  );
  if (!answers.every((answer) => "value" in answer)) problems.push(JSON.stringify(answers));
  const last = await wire.get<{ outcome: string }>(session, "idle");
  if (last.outcome !== "completed") problems.push(`the answered run is ${last.outcome}`);
  const asked = (await wire.get<string>(session, "lines")).split("\n").filter((line) => {
    return line.includes('"kind":"approval.decided"') && !line.includes("carriedFrom");
  });
  if (asked.length !== 1) problems.push(`${asked.length} decisions`);
  const interruptions = await count(wire, session, "run.interrupted");
  if (interruptions !== 0) problems.push(`${interruptions} interruptions of a waiting run`);
  return problems;
}
