/** Durable events per second, one event in flight per session. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Metrics } from "../cell.ts";
import { Load } from "../load.ts";
import type { OpenSubject } from "../peers/subject.ts";

export async function run({ peer, dir, options }: Job): Promise<Metrics> {
  const { sessions = 1, warmup = 1, seconds = 3 } = options;
  const { open } = (await import(`../peers/${peer}.ts`)) as { open: OpenSubject };
  const subject = await open(dir, sessions);
  const load = new Load(sessions, (session) => subject.send(session));
  await sleep(warmup * 1000);
  const measured = await load.measure(seconds);
  await load.stop();
  await subject.close();
  return { ...measured };
}
