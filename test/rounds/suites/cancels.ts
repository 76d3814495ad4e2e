/**
 * [P25]: a cancel while the agent talks, runs a tool, asks, or is being revived, with an agent that
 * obeys and one that ignores it. Events seen before the cancel stay, and the run's text is a prefix
 * of its full text.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Event, outcomeOf } from "@holdfast/protocol";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { counted, textOf, type World } from "../../story/world.ts";
import { Figures } from "../figures.ts";
import { eventually } from "../survivors.ts";
import { Watch } from "../watch.ts";
import { inWorld, withMoreAgents } from "../worlds.ts";

const ears = ["obeying", "deaf"] as const;
const moments = ["talking", "tool", "approval", "revive"] as const;

export interface Cancel {
  readonly ear: (typeof ears)[number];
  readonly moment: (typeof moments)[number];
  /** Milliseconds between the sign of the moment and the cancel. */
  readonly into: number;
}

const LIMIT = { obeying: 2000, deaf: 8000 } as const;
const PATIENCE = 20_000;
const COUNT = 100_000;

interface Scene {
  readonly prompt: string;
  /** The full text of the run without a cancel. */
  readonly whole: string;
  /** True for the event that marks the moment. */
  readonly sign: (event: Event) => boolean;
}

const scenes: Record<Cancel["moment"], Scene> = {
  talking: {
    prompt: `/count=${COUNT}`,
    whole: counted(COUNT),
    sign: (event) => event.kind === "text.appended" && event.text.includes("<10>"),
  },
  tool: {
    prompt: "/count=10 /stall",
    whole: counted(10),
    sign: ({ kind }) => kind === "tool.started",
  },
  approval: {
    // A deaf agent takes the withdrawal of its question for a denial and continues.
    prompt: "/count=10 /ask /stall",
    whole: `${counted(10)}Answer 1: denied.\n`,
    sign: ({ kind }) => kind === "run.waiting",
  },
  revive: {
    prompt: `/count=${COUNT}`,
    whole: counted(COUNT),
    sign: ({ kind }) => kind === "session.reviving",
  },
};

export const cancels: Suite = {
  name: "cancels",
  async run(context) {
    const rounds = context.short ? 16 : 100;
    const title =
      `${rounds} cancels while an agent talks, runs a tool, asks or is revived: over within 2 s (p99)` +
      " by agents that obey, 8 s by others, and nothing that was seen is lost [P25]";
    await context.test(title, () =>
      inWorld({ ...withMoreAgents, pace: 2 }, (world) => everyMoment(context, world, rounds)),
    );
  },
};

async function everyMoment(context: Context, world: World, rounds: number): Promise<string[]> {
  const kinds = ears.flatMap((ear) => moments.map((moment) => ({ ear, moment })));
  const points = Array.from({ length: rounds }, (_, i): Cancel => {
    const kind = kinds[i % kinds.length] ?? { ear: "obeying", moment: "talking" };
    return { ...kind, into: context.random.below(250) };
  });
  const times: Record<Cancel["ear"], number[]> = { obeying: [], deaf: [] };
  const problems = await eachPoint(context, points, async (point) => {
    const { ms, problems: found } = await cancelRound(world, point);
    if (ms !== null) times[point.ear].push(ms);
    return found;
  });
  for (const ear of ears) {
    const figures = new Figures(times[ear]);
    context.say(`${ear}: ${figures}`);
    if (figures.count === 0) problems.push(`void: no cancel of an ${ear} agent was seen`);
    if (figures.percentile(99) > LIMIT[ear]) problems.push(`${ear} agents took ${figures}`);
  }
  return problems;
}

export async function cancelRound(
  world: World,
  { ear, moment, into }: Cancel,
): Promise<{ ms: number | null; problems: string[] }> {
  // A new demo agent hears cancels again; the stubborn agent hangs, deaf, while its session is
  // loaded.
  const hangs = ear === "deaf" && moment === "revive";
  const { id } = await world.create(undefined, { agent: hangs ? "stubborn" : "demo" });
  await prepare(world, id, ear, moment);
  const { prompt, sign } = scenes[moment];
  const watch = new Watch(world, id);
  try {
    const runId = (await world.send(id, prompt)).run?.id ?? "";
    const hung = join(world.data, "workspaces", id, "hung");
    const isHung = () => !hangs || existsSync(hung);
    const comes = (await watch.until(sign, PATIENCE)) !== null;
    if (!comes || (await eventually(isHung, PATIENCE)) === null) {
      return { ms: null, problems: ["void: its moment did not come"] };
    }
    await new Promise((resolve) => setTimeout(resolve, into));
    const before = [...watch.seen];
    const from = performance.now();
    const { success } = await world.client.call("cancelRun", { params: { runId } });
    const at = await watch.until((event) => isOutcomeOf(event, runId), PATIENCE);
    const problems = success ? [] : ["the cancel was refused"];
    if (at === null) return { ms: null, problems: [...problems, `no outcome in ${PATIENCE} ms`] };
    problems.push(...(await goesOn(world, id)));
    problems.push(...judge(await world.events(id), before, { runId, whole: scenes[moment].whole }));
    return { ms: at - from, problems };
  } finally {
    await watch.close();
    await world.client.call("endSession", { params: { sessionId: id } });
  }
}

async function prepare(
  world: World,
  id: string,
  ear: Cancel["ear"],
  moment: Cancel["moment"],
): Promise<void> {
  await world.send(id, ear === "deaf" && moment !== "revive" ? "/deaf" : "/say hello");
  await world.untilKind(id, "run.completed");
  if (moment === "revive") {
    await world.client.call("pauseSession", { params: { sessionId: id } });
  }
}

/** Checks that the session takes the next message after a cancel. */
async function goesOn(world: World, id: string): Promise<string[]> {
  const { run } = await world.send(id, "/say on");
  const over = await world.until(id, (event) => isOutcomeOf(event, run?.id ?? ""));
  return over.kind === "run.completed" ? [] : [`the next run is ${over.kind}`];
}

function judge(
  events: readonly Event[],
  before: readonly Event[],
  { runId, whole }: { readonly runId: string; readonly whole: string },
): string[] {
  const problems: string[] = [];
  const line = (event: Event | undefined) => JSON.stringify(event);
  const lost = before.find((event) => line(events[event.seq - 1]) !== line(event));
  if (lost !== undefined) problems.push(`seen and lost: ${line(lost)}`);
  const its = events.filter((event) => "runId" in event && event.runId === runId);
  const said = textOf(its);
  if (!whole.startsWith(said)) problems.push(`it said ${said.slice(-100)}`);
  const outcomes = its.filter(({ kind }) => outcomeOf(kind) !== undefined);
  if (outcomes.map(({ kind }) => kind).join() !== "run.cancelled") {
    problems.push(`its outcomes are ${outcomes.map(({ kind }) => kind)}`);
  }
  const late = its.find(({ seq }) => seq > (outcomes[0]?.seq ?? 0));
  if (late !== undefined) problems.push(`after its outcome: ${line(late)}`);
  return problems;
}

function isOutcomeOf(event: Event, runId: string): boolean {
  return outcomeOf(event.kind) !== undefined && "runId" in event && event.runId === runId;
}
