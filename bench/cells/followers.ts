/**
 * The cost of catching-up readers for writers: the same load in one process, once alone and once
 * while 50 sockets replay a 100,000-event session repeatedly. The order of the two alternates
 * between rounds, so that warm-up favours neither.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Metrics } from "../cell.ts";
import { Load, type Measured } from "../load.ts";
import { writersOn } from "../peers/holdfast.ts";
import { replayOf } from "../peers/holdfast-replay.ts";
import { replayFiles } from "../seeds/replay-files.ts";
import { serve } from "../sse-server.ts";
import { openStore } from "../store.ts";

const client = new URL("../clients/followers.ts", import.meta.url);

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { sessions = 100, events = 100_000, followers = 50, round = 0 } = options;
  const { warmup = 1, seconds = 3 } = options;
  const journal = await openStore(join(dir, replayFiles.store));
  const server = await serve(await replayOf(journal, dir, events));
  const writers = await writersOn(journal, sessions);
  const load = new Load(sessions, (session) => writers.send(session));
  await sleep(warmup * 1000);

  const alone = () => load.measure(seconds);
  const followed = () => whileFollowed(server.port, { events, followers, warmup }, alone);
  const results: { alone?: Measured; followed?: Followed } = {};
  for (const phase of round % 2 === 0 ? ["alone", "followed"] : ["followed", "alone"]) {
    if (phase === "alone") results.alone = await alone();
    else results.followed = await followed();
    // Garbage and full sockets of the followers must not count in the next phase.
    await sleep(warmup * 1000);
  }
  await load.stop();
  server.close();
  await writers.close();
  return summary(results as Required<typeof results>);
}

interface Followed extends Measured {
  readonly deliveredPerSecond: number;
}

async function whileFollowed(
  port: number,
  { events, followers, warmup }: Record<"events" | "followers" | "warmup", number>,
  measure: () => Promise<Measured>,
): Promise<Followed> {
  const reader = fork(client, [String(port), String(followers), String(events)]);
  await once(reader, "message");
  await sleep(warmup * 1000);
  const before = await count(reader);
  const start = performance.now();
  const measured = await measure();
  const delivered = (await count(reader)) - before;
  const seconds = (performance.now() - start) / 1000;
  reader.kill();
  await once(reader, "exit");
  if (delivered === 0) throw new Error("followers: none of them got anything");
  return { ...measured, deliveredPerSecond: delivered / seconds };
}

async function count(reader: ReturnType<typeof fork>): Promise<number> {
  reader.send("count");
  const [events] = (await once(reader, "message")) as [number];
  return events;
}

function summary({ alone, followed }: { alone: Measured; followed: Followed }): Metrics {
  return {
    ackP50Alone: alone.ackP50,
    ackP99Alone: alone.ackP99,
    ackP50Followed: followed.ackP50,
    ackP99Followed: followed.ackP99,
    ackP99Ratio: followed.ackP99 / alone.ackP99,
    eventsPerSecondAlone: alone.eventsPerSecond,
    eventsPerSecondFollowed: followed.eventsPerSecond,
    deliveredPerSecond: followed.deliveredPerSecond,
    loopP99Alone: alone.loopP99,
    loopP99Followed: followed.loopP99,
  };
}
