/** [P2]: power cuts at any moment of a working host lose no acknowledged event. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { judge } from "../audit.ts";
import { Driven, type SpawnOptions, stateOf, within } from "../children.ts";
import { Disk } from "../disk.ts";
import type { Job } from "../driver.ts";
import { whyNoLoop } from "../faults.ts";
import { newFolder } from "../places.ts";
import type { Entry } from "../records.ts";

const MEGABYTES = 64;
/** Longer than a tick of the journal's housekeeping. */
const QUIET_MS = 1200;
/** Cuts per disk: the journal grows, and so does the time of each audit. */
const CUTS_PER_LIFE = 15;
const NEXT_ACK_MS = 20_000;

export const powercut: Suite = {
  name: "powercut",
  async run(context) {
    const [cuts, acks, starts] = context.short ? [10, 3, 2] : [300, 40, 20];
    const cases: [string, () => Promise<string[]>][] = [
      [
        `${cuts} power cuts under a working host lose nothing told, and no blob or token [P2] [U7]`,
        () => cutUnderLoad(context, cuts),
      ],
      [
        `${acks} power cuts, each right after an acknowledgement on a quiet disk [P2]`,
        () => cutAfterAcks(context, acks),
      ],
      [
        `${starts} power cuts right after the first start keep the host's token [P2]`,
        () =>
          eachPoint(
            context,
            Array.from({ length: starts }, (_, i) => i),
            () => cutAfterStart(),
          ),
      ],
    ];
    const why = whyNoLoop();
    for (const [title, body] of cases) {
      if (why === null) await context.test(title, body);
      else context.skip(title, why);
    }
  },
};

async function cutUnderLoad(context: Context, cuts: number): Promise<string[]> {
  const lives = Math.ceil(cuts / CUTS_PER_LIFE);
  const delays = Array.from({ length: lives }, () =>
    Array.from({ length: Math.min(CUTS_PER_LIFE, cuts) }, () => context.random.below(250)),
  );
  let done = 0;
  const problems = await eachPoint({ progress: () => undefined }, delays, (life) =>
    cutLife(life, {}, () => context.progress(++done, cuts)),
  );
  return problems;
}

/** One host on one disk; each cut is a copy of the disk while the host is stopped. */
export async function cutLife(
  delays: readonly number[],
  options: SpawnOptions = {},
  each: () => void = () => undefined,
): Promise<string[]> {
  const disk = new Disk(MEGABYTES);
  const records = join(newFolder("powercut"), "records");
  const job: Job = { data: join(disk.root, "data"), records, work: { name: "endless", count: 3 } };
  const problems: string[] = [];
  let acked = 0;
  let host = new Driven(job, options);
  await host.word("ready");
  try {
    for (const [i, delay] of delays.entries()) {
      // Every few cuts the host boots again on the same disk, so that boots are cut as well.
      if (i > 0 && i % 5 === 0) {
        await host.kill();
        host = new Driven(job, options);
      } else {
        // Waits for a new acknowledgement, so that each cut has new data to lose.
        await within(NEXT_ACK_MS, moreThan(acked, host));
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
      await stopped(host);
      const entries = host.entries();
      acked = ackedIn(entries);
      const verdict = await disk.cut((root) => judge(join(root, "data"), entries, { atLeast: 0 }));
      problems.push(...verdict.problems.map((problem) => `cut ${i}: ${problem}`));
      host.signal("SIGCONT");
      each();
      if (problems.length > 5) break;
    }
    if (acked < delays.length / 2) problems.push(`void: only ${acked} acknowledged calls`);
  } finally {
    await host.kill();
    disk.remove();
  }
  return problems;
}

const ackedIn = (entries: readonly Entry[]) => entries.filter(({ t }) => t === "ok").length;

async function moreThan(acked: number, host: Driven): Promise<void> {
  while (host.isRunning && ackedIn(host.entries()) <= acked) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Between the calls the journal checkpoints its log and restarts it from the beginning. */
async function cutAfterAcks(context: Context, acks: number): Promise<string[]> {
  const disk = new Disk(MEGABYTES);
  const records = join(newFolder("acks"), "records");
  const work = { name: "renames", count: acks, pauseMs: QUIET_MS } as const;
  const host = new Driven({ data: join(disk.root, "data"), records, work });
  const problems: string[] = [];
  try {
    for (let i = 0; i < acks; i++) {
      await host.word(`ack ${i}`);
      await stopped(host);
      const entries = host.entries();
      const { problems: found } = await disk.cut((root) =>
        judge(join(root, "data"), entries, { atLeast: i + 1 }),
      );
      problems.push(...found.map((problem) => `ack ${i}: ${problem}`));
      host.signal("SIGCONT");
      context.progress(i + 1, acks);
    }
  } finally {
    await host.kill();
    disk.remove();
  }
  return problems;
}

/** Waits until the process is really stopped: its records are then complete. */
async function stopped(host: Driven): Promise<void> {
  const pid = host.hostPid;
  host.signal("SIGSTOP");
  for (let i = 0; pid !== null && i < 1000 && !/[Tt]/.test(stateOf(pid) ?? ""); i++) {
    if (!host.isRunning) throw new Error(`the host ended: ${host.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/**
 * Cuts right after the start in a new directory: its name, the journal's and the token's must all
 * survive.
 */
export async function cutAfterStart(options: SpawnOptions = {}): Promise<string[]> {
  const disk = new Disk(MEGABYTES);
  const records = join(newFolder("start"), "records");
  writeFileSync(records, "");
  const data = join(disk.root, "new", "data");
  const host = new Driven({ data, records, work: { name: "boot", close: false } }, options);
  try {
    await host.word("ready");
    await host.kill();
    const entries = host.entries();
    const verdict = await disk.cut((root) =>
      judge(join(root, "new", "data"), entries, { atLeast: 0 }),
    );
    return [...verdict.problems];
  } finally {
    await host.kill();
    disk.remove();
  }
}
