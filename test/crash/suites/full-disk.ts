/** A real small disk that another process fills to the last byte while runs are open. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { fillToLastByte } from "../../../packages/server/src/testing/full-disk.ts";
import { judge } from "../audit.ts";
import { Driven } from "../children.ts";
import { Disk, SmallDisk } from "../disk.ts";
import type { Job } from "../driver.ts";
import { whyNoLoop } from "../faults.ts";
import { newFolder } from "../places.ts";
import { openSession } from "../served.ts";
import { Wire } from "../wire.ts";

const MEGABYTES = 48;
const RECOVERY_MS = 10_000;

export async function fullDisk(): Promise<string[]> {
  const problems = (await onDisk(new SmallDisk(MEGABYTES))).map((p) => `tmpfs: ${p}`);
  if (whyNoLoop() === null) {
    problems.push(...(await onDisk(new Disk(MEGABYTES, "loop"))).map((p) => `ext4: ${p}`));
  }
  return problems;
}

async function onDisk(disk: { root: string; remove(): void }): Promise<string[]> {
  const folder = newFolder("full");
  const socket = join(folder, "socket");
  const job: Job = {
    data: join(disk.root, "data"),
    records: join(folder, "records"),
    work: { name: "serve", socket },
  };
  const host = new Driven(job);
  const wire = new Wire(socket);
  try {
    await host.word("listening");
    const problems = await story(wire, join(disk.root, "filler"));
    if (!host.isRunning) problems.push(`the host ended: ${host.stderr}`);
    await host.kill();
    problems.push(...(await judge(job.data, host.entries(), { atLeast: 0 })).problems);
    return problems;
  } finally {
    wire.close();
    await host.kill();
    disk.remove();
  }
}

async function story(wire: Wire, filler: string): Promise<string[]> {
  const problems: string[] = [];
  const stalled = await openSession(wire, "stall", "running");
  const asked = await openSession(wire, "ask", "waiting");
  const ending = await openSession(wire, "stall", "running");
  fillToLastByte(filler);
  const rename = (n: number) =>
    wire.ask(stalled.session, "rename", { title: `${n} `.padEnd(500, "x") });
  let full = false;
  for (let n = 0; n < 20_000 && !full; n++) {
    const answer = await rename(n);
    full = "code" in answer && answer.code === "journal_full";
    if (!full && !("value" in answer)) return [`rename ${n}: ${JSON.stringify(answer)}`];
    if (n % 50 === 49) fillToLastByte(filler);
  }
  if (!full) return ["void: the disk never was full"];

  const lines = await wire.get<string>(stalled.session, "lines");
  if (!lines.startsWith('{"seq":1,')) problems.push("reads stopped");
  const cancel = await wire.ask(stalled.session, "cancel", { runId: stalled.run.id, by: "user" });
  if (!("value" in cancel)) problems.push(`cancel on a full disk: ${JSON.stringify(cancel)}`);
  const idle = await wire.ask(stalled.session, "idle");
  if (!("value" in idle)) problems.push(`the cancelled run did not end: ${JSON.stringify(idle)}`);
  const decision = {
    runId: asked.run.id,
    approvalId: asked.run.approvals[0]?.id,
    decision: "deny",
  };
  const decided = await wire.ask(asked.session, "decide", { ...decision, by: "user" });
  if (!("value" in decided)) problems.push(`an answer on a full disk: ${JSON.stringify(decided)}`);
  const end = await wire.ask(ending.session, "end", { reason: "explicit" });
  if (!("value" in end)) problems.push(`end on a full disk: ${JSON.stringify(end)}`);

  rmSync(filler);
  const freed = performance.now();
  for (let n = 0; ; n++) {
    if ("value" in (await rename(n))) break;
    if (performance.now() - freed > RECOVERY_MS) return [...problems, "freed space was not enough"];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return problems;
}
