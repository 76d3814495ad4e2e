/**
 * [P24]: an agent that has forked twice into its own session and ignores cancel and SIGTERM.
 * However it is ended, all its processes are gone ten seconds later.
 */

import { outcomeOf } from "@holdfast/protocol";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import type { World } from "../../story/world.ts";
import { Figures } from "../figures.ts";
import { eventually, isOrphan, survivorsIn } from "../survivors.ts";
import { endWorld, inWorld, kill, openWorld } from "../worlds.ts";

const LIMIT = 10_000;
const ways = ["cancel", "holder", "host and holder", "end"] as const;
export type Way = (typeof ways)[number];

/** Both ways to isolate agents; without pid namespaces the first equals the second. */
const isolations = [{}, { HOLDFAST_NO_PIDNS: "1" }] as const;

export const orphans: Suite = {
  name: "orphans",
  async run(context) {
    const rounds = context.short ? 8 : 100;
    const title =
      `${rounds} rounds of an agent that forks twice, leaves its session and ignores SIGTERM: cancelled,` +
      " its holder killed, host and holder killed, its session ended: 0 processes after 10 s," +
      " with a pid namespace and without [P24]";
    await context.test(title, () => everyWay(context, rounds));
    const obeyed = context.short ? 2 : 10;
    await context.test(
      `a cancel that is obeyed, × ${obeyed}, leaves the idle agent, and no process that its run forked,` +
        " with a pid namespace and without [P24]",
      () => everyObeyed(context, obeyed),
    );
  },
};

async function everyObeyed(context: Context, rounds: number): Promise<string[]> {
  const problems: string[] = [];
  for (const env of isolations) {
    const points = Array(rounds / isolations.length).fill("obeyed");
    const found = await inWorld({ env }, (world) =>
      eachPoint(context, points, () => obeyedRound(world), 1),
    );
    problems.push(...found);
  }
  return problems;
}

async function obeyedRound(world: World): Promise<string[]> {
  const { id, currentRunId } = await world.create("/fork /stall");
  await world.untilKind(id, "tool.started");
  if (!survivorsIn(world.data).some(isOrphan)) return ["void: it left no orphan"];
  await world.client.call("cancelRun", { params: { runId: currentRunId ?? "" } });
  await world.untilKind(id, "run.cancelled");
  const isGone = await eventually(() => !survivorsIn(world.data).some(isOrphan), LIMIT);
  await world.client.call("endSession", { params: { sessionId: id } });
  await eventually(() => survivorsIn(world.data).length === 0, LIMIT);
  return isGone === null ? [`after ${LIMIT / 1000} s what it forked is still there`] : [];
}

async function everyWay(context: Context, rounds: number): Promise<string[]> {
  const worlds = await Promise.all(isolations.map((env) => openWorld({ env })));
  const times: number[] = [];
  try {
    const points = Array.from({ length: rounds / worlds.length }, (_, i) => ways[i % ways.length]);
    const problems = await eachPoint(
      context,
      points,
      async (way = "cancel") => {
        const both = worlds.map((world) => orphanRound(world, way, times));
        return (await Promise.all(both)).flat();
      },
      1,
    );
    const figures = new Figures(times);
    context.say(`nothing left after ${figures}`);
    if (figures.count < rounds - problems.length) problems.push(`void: ${figures.count} rounds`);
    return problems;
  } finally {
    for (const world of worlds) await endWorld(world);
  }
}

export async function orphanRound(world: World, way: Way, times: number[] = []): Promise<string[]> {
  const { id, currentRunId } = await world.create("/fork /deaf /stall");
  await world.untilKind(id, "tool.started");
  if (!survivorsIn(world.data).some(isOrphan)) return ["void: it left no orphan"];
  const problems: string[] = [];
  const from = performance.now();
  if (way === "cancel") {
    await world.client.call("cancelRun", { params: { runId: currentRunId ?? "" } });
  } else if (way === "end") {
    await world.client.call("endSession", { params: { sessionId: id } });
  } else {
    const { holder } = world.pids();
    if (way === "host and holder") await world.kill();
    kill(holder ?? 0);
  }
  if (way === "host and holder") {
    await world.start();
    // Recovery kills these processes before the host is ready, so before a request can reach the
    // session.
    problems.push(...leftIn(world).map((left) => `the next host was ready beside ${left}`));
  }
  if ((await eventually(() => survivorsIn(world.data).length === 0, LIMIT)) === null) {
    problems.push(...leftIn(world).map((left) => `after ${LIMIT / 1000} s there is ${left}`));
  } else times.push(performance.now() - from);
  const outcome = await world.until(id, ({ kind }) => outcomeOf(kind) !== undefined);
  const expected = way === "cancel" || way === "end" ? "cancelled" : "interrupted";
  if (outcomeOf(outcome.kind) !== expected) problems.push(`its run is ${outcome.kind}`);
  return problems;
}

function leftIn(world: World): string[] {
  return survivorsIn(world.data).map(({ pid, argv }) => `${pid} ${argv.slice(0, 80)}`);
}
