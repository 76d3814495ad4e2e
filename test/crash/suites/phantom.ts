/**
 * [P3]: with slow syncs, events become visible only when they are durable. A host killed inside
 * that window must not have reported an event that is missing afterwards.
 */

import { join } from "node:path";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { judge } from "../audit.ts";
import { Driven, type SpawnOptions } from "../children.ts";
import type { Job } from "../driver.ts";
import { oneThread, SYNCS, strace, whyNoStrace } from "../faults.ts";
import { dropFolder, newFolder } from "../places.ts";
import type { Entry } from "../records.ts";

const DELAY_MS = 300;
const SURELY_MS = DELAY_MS * 0.9;

export const phantom: Suite = {
  name: "phantom",
  async run(context) {
    const kills = context.short ? 4 : 200;
    const title = `syncs of ${DELAY_MS} ms, ${kills} kills inside them: nothing is seen before it is durable [P3]`;
    const why = whyNoStrace();
    if (why === null) await context.test(title, () => kill(context, kills));
    else context.skip(title, why);
  },
};

async function kill(context: Context, count: number): Promise<string[]> {
  // The delay and the kill within it fall on a different moment each time.
  const points = Array.from({ length: count }, () => ({
    ack: 3 + context.random.below(3),
    into: context.random.below(DELAY_MS),
  }));
  // Waiting takes most of the time, so several run in parallel.
  return eachPoint(context, points, (point) => killInside(point), 4);
}

export async function killInside(
  { ack, into }: { ack: number; into: number },
  options: Pick<SpawnOptions, "mutant"> = {},
): Promise<readonly string[]> {
  const folder = newFolder("phantom");
  const job: Job = {
    data: join(folder, "data"),
    records: join(folder, "records"),
    work: { name: "renames", count: 50, pauseMs: 0 },
  };
  const delay = `${SYNCS.join()}:delay_exit=${DELAY_MS * 1000}:when=10+`;
  const host = new Driven(job, {
    under: strace([delay], SYNCS),
    env: oneThread,
    ...options,
  });
  await host.word(`ack ${ack}`);
  await new Promise((resolve) => setTimeout(resolve, into));
  await host.kill();
  const entries = host.entries();
  const { problems } = await judge(job.data, entries, { atLeast: ack });
  dropFolder(folder);
  return [...problems, ...seenEarly(entries)];
}

/**
 * Finds events that were seen too early. A kill keeps written data, synced or not, so only time
 * shows it: with slow syncs, an event may reach its writer or a follower only one sync after its
 * request.
 */
function seenEarly(entries: readonly Entry[]): string[] {
  const problems: string[] = [];
  const invoked = new Map<string, number>();
  const asked = new Map<number, number>();
  let slow = 0;
  for (const entry of entries) {
    if (entry.t === "invoke") invoked.set(entry.op, entry.at);
    if (entry.t !== "ok") continue;
    const from = invoked.get(entry.op) ?? 0;
    if (entry.at - from >= SURELY_MS) slow++;
    else if (slow > 0) problems.push(`answered after ${(entry.at - from).toFixed(0)} ms`);
    if (slow > 0) for (const [seq] of entry.events) asked.set(seq, from);
  }
  for (const entry of entries) {
    if (entry.t !== "seen") continue;
    const from = asked.get(entry.first) ?? 0;
    if (entry.at - from < SURELY_MS) {
      problems.push(`event ${entry.first} was seen after ${(entry.at - from).toFixed(0)} ms`);
    }
  }
  return slow > 0 ? problems : ["void: no answer took as long as a sync"];
}
