/**
 * The process under test: the real product, opened on a data directory, doing one job. The suites
 * spawn, kill, stop and starve it. Its stdout has one word per milestone; every answer and event
 * that it gave to a caller goes into the record file.
 */

import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openRun, type SessionId } from "@holdfast/protocol";
import { hostToken } from "../../packages/server/src/access/credentials/host-token.ts";
import { backupData } from "../../packages/server/src/backup.ts";
import type { Policy } from "../../packages/server/src/base/policy.ts";
import { type HostParts, wireHost } from "../../packages/server/src/host.ts";
import { seeded } from "../long/seeds.ts";
import { crashAgent } from "./agents.ts";
import { serveSocket } from "./socket.ts";
import { Notebook, Witness, wallNow } from "./witness.ts";
import { created, prompt, races, stories, stubborn, writers } from "./workload.ts";

export interface Job {
  readonly data: string;
  readonly records: string;
  readonly work:
    | { readonly name: "stories"; readonly count: number; readonly close: boolean }
    /** Runs stories until the process is killed. */
    | { readonly name: "endless"; readonly count: number; readonly pauseMs?: number }
    | { readonly name: "open"; readonly runs: number; readonly kinds: readonly string[] }
    | { readonly name: "boot"; readonly close: boolean }
    | {
        readonly name: "writers";
        readonly sessions: number;
        readonly writers: number;
        readonly each: number;
      }
    | { readonly name: "renames"; readonly count: number; readonly pauseMs: number }
    /** One agent that talks without end, in the ordinary groups. */
    | { readonly name: "drip" }
    | { readonly name: "stubborn"; readonly most: number }
    | { readonly name: "backups"; readonly count: number; readonly to: string }
    | { readonly name: "races"; readonly runs: number; readonly seed: number }
    | { readonly name: "serve"; readonly socket: string };
  readonly policy?: Partial<Policy>;
}

const job = JSON.parse(process.argv[2] ?? "{}") as Job;
const notebook = new Notebook(job.records);
notebook.write({ t: "boot", pid: process.pid });

/** Synchronous, so that the word is written before the next step. */
const say = (word: string) => void writeSync(1, `${word}\n`);

const tokens = new Map<string, string>();
const host = await wireHost({
  data: job.data,
  agents: [crashAgent((n) => notebook.note("said", { n, at: wallNow() }))],
  policy: {
    deltaGroup: 2,
    retryDelay: 1,
    baseEvery: 20,
    endedKept: 0,
    cancelGrace: 500,
    // Boots here are shorter than the grace time, and removal must also meet kills.
    deadlineGrace: 0,
    ...job.policy,
  },
  onToken(session, runId, token) {
    tokens.set(session, token);
    notebook.write({ t: "token", s: session, runId, token });
  },
});
notebook.write({ t: "hostToken", token: hostToken(job.data, (bytes) => randomBytes(bytes)) });
const { recovery } = host;
notebook.write({
  t: "ready",
  epoch: host.journal.epoch,
  recovery: Object.fromEntries(Object.entries(recovery).map(([name, list]) => [name, list.length])),
});
say("ready");
const witness = new Witness(host, notebook, tokens);
await work(host, witness);

async function work({ sessions, journal }: HostParts, w: Witness): Promise<void> {
  const { work } = job;
  switch (work.name) {
    case "stories":
      await stories(w, work.count);
      say("done");
      if (!work.close) return stay();
      await w.leave();
      await host.close();
      say("closed");
      return;
    case "endless":
      for (let round = 0; ; round++) {
        await stories(w, work.count);
        say(`round ${round}`);
        await new Promise((resolve) => setTimeout(resolve, work.pauseMs ?? 0));
      }
    case "open":
      await openRuns(w, work.runs, work.kinds);
      say("open");
      return stay();
    case "boot":
      if (!work.close) return stay();
      await host.close();
      say("closed");
      return;
    case "writers": {
      const known = await journal.list({ limit: work.sessions });
      const ids: SessionId[] = known.sessions.map(({ session }) => session);
      while (ids.length < work.sessions) ids.push(await created(w));
      for (const id of ids) w.follow(id, (await sessions.state(id)).seq);
      await writers(w, ids, work.writers, work.each);
      say("done");
      return stay();
    }
    case "renames": {
      const id = await created(w);
      w.follow(id, 0);
      for (let i = 0; i < work.count; i++) {
        await w.call(id, "rename", { title: `name ${i} of ${journal.epoch}` });
        say(`ack ${i}`);
        if (work.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, work.pauseMs));
      }
      say("done");
      return stay();
    }
    case "drip":
      await prompt(w, await created(w), "drip", "drip");
      return stay();
    case "stubborn":
      say(await stubborn(w, work.most));
      return stay();
    case "backups":
      await backups(w, work.count, work.to);
      say("done");
      return stay();
    case "races":
      await races(w, work.runs, seeded(work.seed));
      say("done");
      return stay();
    case "serve":
      await serveSocket(work.socket, w);
      say("listening");
      return stay();
  }
}

/** Makes backups one after the other while stories run. */
async function backups(w: Witness, count: number, to: string): Promise<void> {
  let busy = true;
  const load = async () => {
    while (busy) await stories(w, 3);
  };
  const loads = [load(), load()];
  for (let i = 0; i < count; i++) {
    // Each backup holds some calls more, also on a busy machine.
    for (const enough = w.accepted + 20; w.accepted < enough; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    w.notebook.note("backup", i);
    await backupData(w.host.journal, job.data, join(to, String(i)));
  }
  busy = false;
  await Promise.all(loads);
}

/** Leaves runs open: the next boot has to settle each of them exactly once. */
async function openRuns(w: Witness, runs: number, kinds: readonly string[]): Promise<void> {
  const one = async (i: number) => {
    const id = await created(w);
    const kind = kinds[i % kinds.length] ?? "stall";
    await prompt(w, id, kind, "open");
    await w.until(
      id,
      (state) => {
        const run = openRun(state);
        if (run === null) return false;
        return kind === "stall" ? run.openTools.length > 0 : run.waits.length > 0;
      },
      "open",
    );
    w.notebook.note("run", { session: id, kind, runId: (await w.host.sessions.state(id)).run?.id });
  };
  await Promise.all(Array.from({ length: runs }, (_, i) => one(i)));
}

/** Keeps the process alive until it is killed; the product's timers do not. */
function stay(): Promise<never> {
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}
