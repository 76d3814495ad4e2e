/**
 * A message that interrupts a run while the run's agent is starting. The agent records the prompts
 * it received: they include every prompt that the journal calls accepted, only the intended run is
 * interrupted, and no holder outlives its `holder.exited`.
 */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Event, outcomeOf } from "@holdfast/protocol";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { kinds, type World } from "../../story/world.ts";
import { eventually } from "../survivors.ts";
import { inWorld, type RoundOptions, withMoreAgents } from "../worlds.ts";

export interface Interrupt {
  /** The agent's first start, or a revival. */
  readonly comes: "first" | "back";
  /** Messages after the first, each as a share of an agent's start time. */
  readonly after: readonly number[];
}

const HOLDER_LIMIT = 10_000;

export const interrupts: Suite = {
  name: "interrupts",
  async run(context) {
    const rounds = context.short ? 20 : 400;
    const title =
      `${rounds} messages that interrupt a run while its agent comes up: the agent got every prompt` +
      " that was accepted, and no holder is left after 10 s [P24] [P25]";
    await context.test(title, () => manyInterrupts(context, rounds));
  },
};

export function manyInterrupts(
  context: Pick<Context, "random" | "progress" | "say">,
  rounds: number,
  options: RoundOptions = {},
): Promise<string[]> {
  return inWorld({ ...withMoreAgents, ...options }, async (world) => {
    const points = Array.from({ length: rounds }, (_, i): Interrupt => {
      const comes = i % 4 === 3 ? "back" : "first";
      const after = [0.4 + context.random.below(700) / 1000];
      if (i % 3 === 0) after.push(context.random.below(300) / 1000);
      return { comes, after };
    });
    const pace = new Pace();
    const problems = await eachPoint(context, points, (point) => round(world, point, pace));
    const { typical, cut } = pace;
    context.say(`an agent came up in ${Math.round(typical)} ms; ${cut} launches were given up`);
    if (cut === 0) problems.push("void: no interrupt came while an agent was starting");
    return problems;
  });
}

/** The current start time of agents on this machine. */
class Pace {
  typical = 300;
  cut = 0;

  note(events: readonly Event[]): void {
    const ready = kinds(events, "agent.ready").at(-1);
    const launched = kinds(events, "holder.launched").at(-1);
    if (ready !== undefined && launched !== undefined) {
      const ms = Date.parse(ready.ts) - Date.parse(launched.ts);
      this.typical += (ms - this.typical) / 4;
    }
    this.cut += kinds(events, "holder.launched").length - kinds(events, "agent.ready").length;
  }
}

async function round(world: World, { comes, after }: Interrupt, pace: Pace): Promise<string[]> {
  const { id } = await world.create(undefined, { agent: "recording" });
  if (comes === "back") {
    await world.send(id, "up");
    await world.untilKind(id, "run.completed");
    await world.client.call("pauseSession", { params: { sessionId: id } });
  }
  await world.send(id, "hold 0");
  const launched = await world.until(id, isLaunch, (await world.session(id)).lastSeq - 1);
  let last = "hold 0";
  for (const [i, share] of after.entries()) {
    const since = i === 0 ? Date.now() - Date.parse(launched.ts) : 0;
    const ms = Math.max(0, share * pace.typical - since);
    await new Promise((resolve) => setTimeout(resolve, ms));
    last = `word ${i + 1}`;
    await world.send(id, last, { whenBusy: "interrupt" });
  }
  await world.until(id, (event) => event.kind === "text.appended" && event.text.includes(last));
  await world.until(id, ({ kind }) => kind === "run.completed", launched.seq);
  const events = await world.events(id);
  pace.note(events);
  const problems = judge(events, reachedIn(world, id));
  const exited = kinds(events, "holder.exited").map(({ holderId }) => holderId);
  problems.push(...(await leftOf(exited)));
  await world.client.call("endSession", { params: { sessionId: id } });
  const launches = kinds(events, "holder.launched").map(({ holderId }) => holderId);
  problems.push(...(await leftOf(launches)));
  return problems;
}

const isLaunch = ({ kind }: Event) => kind === "holder.launched" || kind === "agent.ready";

function reachedIn(world: World, id: string): string[] {
  const path = join(world.data, "workspaces", id, "prompts");
  return readFileSync(path, "utf8").trim().split("\n");
}

/** Exported for the negative control. */
export function judge(events: readonly Event[], reached: readonly string[]): string[] {
  const words = new Map<string, string>();
  const asked = new Map<string, string>();
  const problems: string[] = [];
  for (const event of events) {
    if (event.kind === "message.user") words.set(event.messageId, event.content);
    if (event.kind === "run.started") asked.set(event.runId, words.get(event.messageId) ?? "");
    if (event.kind === "attempt.accepted") {
      const text = asked.get(event.runId) ?? "";
      if (!reached.includes(text)) problems.push(`accepted, but it never got there: ${text}`);
    }
    const outcome = outcomeOf(event.kind);
    if (outcome === "interrupted" || outcome === "failed") {
      problems.push(`a run is ${outcome}: ${JSON.stringify(event)}`);
    }
  }
  if (new Set(reached).size !== reached.length) problems.push(`twice: ${reached.join(", ")}`);
  return problems;
}

/** Finds processes by their working directory, independent of the product's own records. */
async function leftOf(holders: readonly string[]): Promise<string[]> {
  const alive = () => holders.filter((holderId) => worksIn(holderId));
  if ((await eventually(() => alive().length === 0, HOLDER_LIMIT)) !== null) return [];
  return alive().map((holderId) => `${holderId} is alive ${HOLDER_LIMIT / 1000} s after its end`);
}

function worksIn(holderId: string): boolean {
  return readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).includes(holderId);
    } catch {
      return false;
    }
  });
}
