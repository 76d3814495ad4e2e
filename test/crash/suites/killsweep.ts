/**
 * [P1]: the host dies in place of its n-th call, during boot, work and close, and loses no
 * acknowledged event.
 */

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultPolicy } from "../../../packages/server/src/base/policy.ts";
import { type Random, spread } from "../../long/seeds.ts";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { judge } from "../audit.ts";
import { Driven } from "../children.ts";
import type { Job } from "../driver.ts";
import {
  killAt,
  mostPerThread,
  oneThread,
  SYNCS,
  type Syscall,
  strace,
  WRITES,
  whyNoStrace,
} from "../faults.ts";
import { dropFolder, newFolder } from "../places.ts";
import { notes } from "../records.ts";

const CALLS: readonly Syscall[] = [...WRITES, ...SYNCS];
const LIFE_MS = 30_000;
const STORIES = 4;
/** Half of the time that R003-37 allows. */
const WINDOW_MS = 1000;

/** Share of the kill points per call: most writes are pages of the journal. */
const SHARES: Readonly<Partial<Record<Syscall, number>>> = {
  pwrite64: 0.5,
  fsync: 0.2,
  fdatasync: 0.2,
  write: 0.2,
};

interface Point {
  readonly call: Syscall;
  readonly n: number;
  /** Data directory of a previous boot, or an empty one. */
  readonly from: "left" | "empty";
}

export const killsweep: Suite = {
  name: "killsweep",
  async run(context) {
    const points = context.short ? 10 : 1000;
    const title = `kill -9 at ${points} calls of boot, work and close loses nothing told [P1] [R002-60] [F41]`;
    const why = whyNoStrace();
    if (why === null) await context.test(title, () => sweep(context, points));
    else context.skip(title, why);
    const kills = context.short ? 6 : 100;
    await context.test(`kill -9 at ${kills} random moments loses no acknowledged event [P1]`, () =>
      randomKills(context, kills),
    );
    const drips = context.short ? 2 : 20;
    await context.test(
      `${drips} kills under a talking agent cost at most the last ${WINDOW_MS} ms of its text [R003-37]`,
      () => lostText(context, drips),
    );
    const [writers, each, lives] = context.short ? [50, 20, 2] : [50, 200, 5];
    await context.test(
      `${writers} concurrent writers, ${lives} kills: the exact dense set of seqs [P4]`,
      () => manyWriters(context.random, writers, each, lives),
    );
  },
};

const storiesIn = (folder: string): Job => ({
  data: join(folder, "data"),
  records: join(folder, "records"),
  work: { name: "stories", count: STORIES, close: true },
});

/**
 * The data of a killed host: open runs, pending questions, a write-ahead log that was not
 * checkpointed.
 */
export async function leftBehind(mutant?: string): Promise<string> {
  const folder = newFolder("left");
  const job = { ...storiesIn(folder), work: { name: "stories", count: STORIES, close: false } };
  const host = new Driven(job as Job, mutant === undefined ? {} : { mutant });
  await host.word("done");
  await host.kill();
  return folder;
}

/** Number of calls that each thread makes in a boot without a fault: the range of the sweep. */
async function countCalls(left: string): Promise<Map<string, number>> {
  const most = new Map<string, number>();
  for (const from of ["left", "empty"] as const) {
    const folder = newFolder("count");
    if (from === "left") cpSync(left, folder, { recursive: true });
    const log = join(folder, "calls");
    const under = strace([], CALLS, log);
    const host = new Driven(storiesIn(folder), { under, env: oneThread });
    const exit = await host.end(LIFE_MS);
    if (exit !== "0") throw new Error(`a life without faults ended with ${exit}: ${host.stderr}`);
    for (const [call, n] of mostPerThread(log)) most.set(`${from} ${call}`, n);
    dropFolder(folder);
  }
  return most;
}

async function sweep(context: Context, count: number): Promise<string[]> {
  const left = await leftBehind();
  const most = await countCalls(left);
  const points = pointsOf(context.random, most, count);
  let hit = 0;
  const problems = await eachPoint(context, points, async (point) => {
    const { killed, problems } = await killOnce(point, left);
    if (killed) hit++;
    return problems;
  });
  const ranges = [...most].map(([place, n]) => `${place} ${n}`).join(", ");
  process.stdout.write(
    `crash: killsweep: ${hit} of ${points.length} points hit; calls: ${ranges}\n`,
  );
  if (hit < count && problems.length === 0)
    problems.push(`void: only ${hit} of ${count} points were hit`);
  return problems;
}

function pointsOf(random: Random, most: ReadonlyMap<string, number>, count: number): Point[] {
  const points: Point[] = [];
  // A few more than needed: timing shifts the last calls of a boot.
  const wanted = Math.ceil(count * 1.08) + 2;
  for (const from of ["left", "empty"] as const) {
    const calls = CALLS.filter((call) => (most.get(`${from} ${call}`) ?? 0) > 0);
    const sum = calls.reduce((total, call) => total + (SHARES[call] ?? 0.05), 0);
    for (const call of calls) {
      const share = Math.ceil(((wanted / 2) * (SHARES[call] ?? 0.05)) / sum);
      const reach = Math.max(1, Math.floor((most.get(`${from} ${call}`) ?? 0) * 0.95));
      for (const n of spread(random, share, reach)) points.push({ call, n, from });
    }
  }
  return points;
}

export async function killOnce(
  { call, n, from }: Point,
  left: string,
  mutant?: string,
): Promise<{ killed: boolean; problems: readonly string[] }> {
  const folder = newFolder("kill");
  if (from === "left") cpSync(left, folder, { recursive: true });
  else writeFileSync(join(folder, "records"), "");
  const host = new Driven(storiesIn(folder), {
    under: killAt(call, n),
    env: oneThread,
    ...(mutant === undefined ? {} : { mutant }),
  });
  const exit = await host.end(LIFE_MS);
  if (exit !== "SIGKILL" && exit !== "0") {
    return { killed: false, problems: [`ended with ${exit}: ${host.stderr.slice(-600)}`] };
  }
  const atLeast = from === "left" ? 20 : 0;
  const { problems } = await judge(join(folder, "data"), host.entries(), { atLeast });
  if (problems.length === 0) dropFolder(folder);
  return { killed: exit === "SIGKILL", problems };
}

/** Kills at random moments, without strace. Three boots on one directory. */
async function randomKills(context: Context, count: number): Promise<string[]> {
  const points = Array.from({ length: Math.ceil(count / 3) }, () =>
    // Sometimes late enough for the journal's housekeeping, which waits for a quiet moment.
    Array.from({ length: 3 }, () =>
      context.random.below(context.random.below(5) === 0 ? 3000 : 500),
    ),
  );
  return eachPoint(context, points, async (delays) => {
    const folder = newFolder("random");
    const job: Job = {
      data: join(folder, "data"),
      records: join(folder, "records"),
      work: { name: "endless", count: 3, pauseMs: context.random.pick([0, 0, 1200]) },
    };
    let host: Driven | undefined;
    for (const delay of delays) {
      host = new Driven(job);
      await host.word("ready");
      await new Promise((resolve) => setTimeout(resolve, delay));
      await host.kill();
    }
    const { problems } = await judge(job.data, host?.entries() ?? [], { atLeast: 3 });
    dropFolder(folder);
    return problems;
  });
}

/** Text that the agent said long enough before the kill must be in the journal, word for word. */
async function lostText(context: Context, count: number): Promise<string[]> {
  const delays = Array.from({ length: count }, () => WINDOW_MS + 300 + context.random.below(1000));
  return eachPoint(context, delays, async (delay) => {
    const folder = newFolder("drip");
    const job: Job = {
      data: join(folder, "data"),
      records: join(folder, "records"),
      work: { name: "drip" },
      policy: { deltaGroup: defaultPolicy.deltaGroup },
    };
    const host = new Driven(job);
    await host.word("ready");
    await new Promise((resolve) => setTimeout(resolve, delay));
    const killedAt = performance.timeOrigin + performance.now();
    await host.kill();
    const { problems, final } = await judge(job.data, host.entries(), { atLeast: 2 });
    const text = final?.sessions.flatMap(({ lines }) => lines).join("") ?? "";
    const said = notes(host.entries(), "said") as { n: number; at: number }[];
    const old = said.filter(({ at }) => at < killedAt - WINDOW_MS);
    const lost = old.filter(({ n }) => !text.includes(`<${n}>`));
    dropFolder(folder);
    if (old.length === 0) return [...problems, "void: nothing was said early enough"];
    return lost.length === 0
      ? problems
      : [...problems, `${lost.length} of ${old.length} words lost`];
  });
}

async function manyWriters(random: Random, writers: number, each: number, lives: number) {
  const folder = newFolder("writers");
  const work = { name: "writers", sessions: 5, writers, each } as const;
  const job: Job = { data: join(folder, "data"), records: join(folder, "records"), work };
  let host: Driven | undefined;
  for (let life = 0; life < lives; life++) {
    host = new Driven(job);
    await host.word("ready");
    await new Promise((resolve) => setTimeout(resolve, 20 + random.below(each * 5)));
    await host.kill();
  }
  host = new Driven(job);
  await host.word("done", 60_000);
  await host.kill();
  const atLeast = writers * each;
  const { problems, acked, final } = await judge(job.data, host.entries(), { atLeast });
  const stored = final?.sessions.reduce((sum, { seq }) => sum + seq, 0);
  process.stdout.write(`crash: killsweep: writers: ${acked} acknowledged, ${stored} stored\n`);
  dropFolder(folder);
  return problems;
}
