/**
 * Random kills of host, holder and agent while an agent counts. After any kill the journal's text
 * of a run is a prefix of the undisturbed text, each number once and in order. If it is shorter,
 * the journal has exactly one interruption of the run.
 */

import { type Event, outcomeOf } from "@holdfast/protocol";
import { counted, textOf, type World } from "./world.ts";

export type Random = (below: number) => number;

export interface Tally {
  readonly kills: Record<"host" | "holder" | "agent", number>;
  readonly runs: number;
  readonly interrupted: number;
  readonly problems: readonly string[];
}

const COUNT = 60;

export async function randomKills(
  world: World,
  kills: number,
  random: Random,
  each: (done: number) => void = () => undefined,
): Promise<Tally> {
  const killed = { host: 0, holder: 0, agent: 0 };
  const { id } = await world.create(`/count=${COUNT}`);
  for (let done = 0; done < kills; done++) {
    await new Promise((resolve) => setTimeout(resolve, random(900)));
    const any = (["host", "host", "holder", "agent"] as const)[random(4)] ?? "host";
    const what = done === 0 ? "host" : any;
    if (await strike(world, what)) killed[what]++;
    else done--;
    await goOn(world, id);
    each(done + 1);
  }
  await settled(world, id);
  const events = await world.events(id);
  const problems = judge(events);
  const interrupted = events.filter(({ kind }) => kind === "run.interrupted").length;
  const runs = events.filter(({ kind }) => kind === "run.started").length;
  return { kills: killed, runs, interrupted, problems };
}

async function strike(world: World, what: "host" | "holder" | "agent"): Promise<boolean> {
  if (what === "host") {
    await world.kill();
    await world.start();
    return true;
  }
  const pid = world.pids()[what];
  if (pid === null) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** Keeps an agent working: sends the next prompt when the session is idle. */
async function goOn(world: World, id: string): Promise<void> {
  const { status } = await world.session(id);
  if (status === "running" || status === "waiting") return;
  await world.send(id, `/count=${COUNT}`);
}

async function settled(world: World, id: string): Promise<void> {
  const { currentRunId } = await world.session(id);
  await world.until(
    id,
    (event) =>
      outcomeOf(event.kind) !== undefined && "runId" in event && event.runId === currentRunId,
  );
}

function judge(events: readonly Event[]): string[] {
  const problems: string[] = [];
  for (const started of events.filter(({ kind }) => kind === "run.started")) {
    const runId = (started as { runId?: string }).runId ?? "";
    const its = events.filter((event) => (event as { runId?: string }).runId === runId);
    const outcomes = its.flatMap(({ kind }) => outcomeOf(kind) ?? []);
    const said = textOf(its);
    if (outcomes.length !== 1) problems.push(`${runId} has the outcomes ${outcomes.join() || "-"}`);
    if (!counted(COUNT).startsWith(said)) problems.push(`${runId} said "${said}"`);
    if (outcomes[0] === "completed" && said !== counted(COUNT)) {
      problems.push(`${runId} is completed and said only "${said}"`);
    }
    if (outcomes[0] === "failed" && !neverLaunched(its)) {
      problems.push(`${runId} failed: ${JSON.stringify(its.slice(-6))}`);
    }
  }
  const dense = events.every(({ seq }, i) => seq === i + 1);
  if (!dense) problems.push("its seqs are not dense");
  const spoken = events.findIndex(({ kind }) => kind === "agent.spoke");
  if (spoken >= 0) {
    const around = events.slice(Math.max(0, spoken - 12), spoken + 2);
    problems.push(`words belong to no run: ${JSON.stringify(around)}`);
  }
  return problems;
}

/**
 * True when every launch was killed before its agent accepted the prompt; the run then failed as
 * `launch_failed`.
 */
function neverLaunched(its: readonly Event[]): boolean {
  const failed = its.find((event) => event.kind === "run.failed");
  if (failed?.kind !== "run.failed" || failed.error.code !== "launch_failed") return false;
  return !its.some(({ kind }) => kind === "attempt.accepted");
}
