/**
 * Deltas from a producer through a peer to its followers: at full speed or at a rate, with one or
 * many sessions and followers. The receiver counts the marks in the text.
 */

import type { Job, Metrics } from "../cell.ts";
import type { Seen } from "../clients/stream.ts";
import { openStreamPeer, type StreamPeer } from "../peers/stream.ts";
import type { Emission } from "../streams/pace.ts";
import { cpuOf, rssMb } from "../streams/process.ts";
import { Remote } from "../streams/remote.ts";

/** Timeout without data; marks that have not arrived by then count as lost. */
const IDLE_MS = 8000;

export async function run({ peer, dir, options }: Job): Promise<Metrics> {
  const { sessions = 1, followers = 1, warmup = 2000, events = 10_000, rate = 0 } = options;
  const { agent = 0, event = 0 } = options;
  const what = { peer, dir, sessions, isAgent: agent === 1, isEvent: event === 1 };
  const streaming = await openStreamPeer(what);
  const client = await Remote.start("clients/stream.ts");
  try {
    await client.call("follow", { targets: streaming.targets, copies: followers });
    await pass(streaming, client, { from: 1, count: warmup, rate });
    const [main = 0] = streaming.pids;
    const before = cpuOf(streaming.pids);
    const mainBefore = cpuOf([main]);
    const { seen, refused } = await pass(streaming, client, {
      from: warmup + 1,
      count: events,
      rate,
    });
    const cpu = cpuOf(streaming.pids) - before;
    const mainCpu = cpuOf([main]) - mainBefore;
    const expected = events * sessions * followers;
    return {
      eventsPerSecond: seen.marks / ((seen.lastSeenUs - seen.firstSaidUs) / 1e6),
      // Per delta emitted, independent of the number of followers.
      cpuPerMillion: (cpu / (events * sessions)) * 1e6,
      // CPU of the host alone, without the holders.
      mainCpuPerMillion: (mainCpu / (events * sessions)) * 1e6,
      p50: seen.p50,
      p99: seen.p99,
      lost: expected - seen.marks,
      dups: seen.dups,
      refused,
      complete: seen.complete / (sessions * followers),
      rssMb: rssMb(streaming.pids),
    };
  } finally {
    await client.end();
    await streaming.close();
  }
}

async function pass(
  streaming: StreamPeer,
  client: Remote,
  emission: Emission,
): Promise<{ seen: Seen; refused: number }> {
  await client.call("expect", { from: emission.from });
  const emitted = streaming.targets.map((_, session) => streaming.emit(session, emission));
  const last = emission.from + emission.count - 1;
  const seen = await client.call<Seen>("finish", { last, idleMs: IDLE_MS });
  const refused = await Promise.all(emitted);
  return { seen, refused: refused.reduce((sum, count) => sum + count, 0) };
}
