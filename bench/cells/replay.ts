/**
 * Replays one long session to one socket, from a cold process: journal pages against a plain file.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import type { Job, Metrics } from "../cell.ts";
import type { ReplaySource } from "../peers/subject.ts";
import { serve } from "../sse-server.ts";

const client = new URL("../clients/replay.ts", import.meta.url);

export async function run({ peer, dir, options }: Job): Promise<Metrics> {
  const { events = 100_000 } = options;
  const { open } = (await import(`../peers/${peer}-replay.ts`)) as {
    open: (dir: string, events: number) => Promise<ReplaySource>;
  };
  const source = await open(dir, events);
  const server = await serve(() => source.slices());
  const consumer = fork(client, [String(server.port), String(events)]);
  // Waits for the consumer's start-up, which is not part of the replay.
  await once(consumer, "message");
  const cpu = process.cpuUsage();
  consumer.send("go");
  const [seen] = (await once(consumer, "message")) as [{ ms: number; firstMs: number }];
  const { user, system } = process.cpuUsage(cpu);
  server.close();
  await source.close();
  return {
    ms: seen.ms,
    firstMs: seen.firstMs,
    cpuMs: (user + system) / 1000,
    eventsPerSecond: events / (seen.ms / 1000),
    maxRssMb: process.resourceUsage().maxRSS / 1024,
  };
}
