/** Replays 100,000 events of one session over HTTP to a client that checks each event. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Job, Metrics } from "../cell.ts";
import type { Target } from "../clients/stream.ts";
import { replayFiles } from "../seeds/replay-files.ts";
import { cpuOf, rssMb } from "../streams/process.ts";
import { Remote } from "../streams/remote.ts";

/** The tenant that the seed's story uses. */
const tenant = "main";

interface Replayed {
  readonly ms: number;
  readonly firstMs: number;
}

interface Source {
  readonly target: Target;
  readonly server: Remote;
  readonly others: readonly Remote[];
}

export async function run({ peer, dir, options }: Job): Promise<Metrics> {
  const { events = 100_000 } = options;
  const { target, server, others } = await open(peer, dir, events);
  const client = await Remote.start("clients/http-replay.ts");
  try {
    // The first pass warms the page cache and the compiler; the second is measured.
    await client.call("replay", { target, events });
    const before = cpuOf([server.pid]);
    const { ms, firstMs } = await client.call<Replayed>("replay", { target, events });
    const cpuMs = (cpuOf([server.pid]) - before) * 1000;
    return {
      ms,
      firstMs,
      cpuMs,
      eventsPerSecond: events / (ms / 1000),
      rssMb: rssMb([server.pid]),
    };
  } finally {
    for (const process of [client, ...others, server]) await process.end();
  }
}

async function open(peer: string, dir: string, events: number): Promise<Source> {
  if (peer === "floor") {
    const server = await Remote.start("servers/floor-replay.ts", { dir });
    const port = await server.call<number>("open");
    return { server, others: [], target: { port, path: "/", headers: {} } };
  }
  if (peer === "holdfast") {
    const session = readFileSync(join(dir, replayFiles.session), "utf8");
    const server = await Remote.start("servers/holdfast.ts", {
      data: join(dir, replayFiles.store),
    });
    const { url } = await server.call<{ url: string }>("ready");
    const secret = await server.call<string>("key", { tenant });
    const path = `/api/sessions/${session}/stream?after=0`;
    const headers = { authorization: `Bearer ${secret}` };
    return { server, others: [], target: { port: Number(new URL(url).port), path, headers } };
  }
  const data = join(dir, "streams");
  mkdirSync(data);
  const server = await Remote.start("servers/durable-streams.ts", { dir: data, store: "file" });
  const producer = await Remote.start("clients/producer.ts");
  const opened = await server.call<{ port: number; paths: string[] }>("open", { count: 1 });
  const { port } = opened;
  const [path = ""] = opened.paths;
  const lines = readFileSync(join(dir, replayFiles.lines), "utf8").trimEnd().split("\n");
  await producer.call("fill", { place: { port, path }, lines: lines.slice(0, events) });
  const target = { port, path: `${path}?offset=-1&live=sse`, headers: {} };
  return { server, others: [producer], target };
}
