/** Streaming peers: sessions to follow over HTTP, and deltas in the form each peer accepts. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Target } from "../clients/stream.ts";
import type { Emission } from "../streams/pace.ts";
import { Remote } from "../streams/remote.ts";

export interface StreamPeer {
  readonly targets: readonly Target[];
  /**
   * Processes whose CPU counts as the peer's, without the agent, the producer and the followers.
   */
  readonly pids: readonly number[];
  /** Starts an emission; resolves with the number of refused appends. */
  emit(session: number, emission: Emission): Promise<number>;
  close(): Promise<void>;
}

export interface StreamJob {
  readonly peer: string;
  readonly dir: string;
  readonly sessions: number;
  /** True when the deltas come from an ACP process, false when they come from inside the peer. */
  readonly isAgent: boolean;
  /** True when each delta is an event of its own, false when the peer may group text. */
  readonly isEvent: boolean;
}

interface Opened {
  readonly port: number;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export async function openStreamPeer(job: StreamJob): Promise<StreamPeer> {
  switch (job.peer) {
    case "floor":
      return inside(job, job.isAgent ? "servers/floor-agent.ts" : "servers/floor.ts");
    case "holdfast":
      return holdfast(job);
    case "ds-file":
    case "ds-memory":
      return durableStreams(job);
    case "sandbox-agent":
      return (await import("./sandbox-agent.ts")).openSandboxAgent(job);
    default:
      throw new Error(`no peer is named ${job.peer}`);
  }
}

async function inside({ dir, sessions }: StreamJob, module: string): Promise<StreamPeer> {
  const server = await Remote.start(module, { dir });
  const opened = await server.call<Opened>("open", { count: sessions });
  return {
    targets: targetsOf(opened),
    pids: [server.pid],
    async emit(session, emission) {
      await server.call("emit", { session, ...emission });
      return 0;
    },
    close: () => server.end(),
  };
}

async function holdfast({ dir, sessions, isAgent, isEvent }: StreamJob): Promise<StreamPeer> {
  const data = join(dir, "data");
  const server = await Remote.start("servers/holdfast.ts", { data });
  const agent = isAgent ? "stub" : "emitter";
  const opened = await server.call<Opened>("open", { count: sessions, agent });
  const holders = await server.call<number[]>("holders");
  return {
    targets: targetsOf(opened),
    pids: [server.pid, ...holders],
    async emit(session, emission) {
      await server.call("emit", { session, ...emission, kind: isEvent ? "event" : "text" });
      return 0;
    },
    async close() {
      await server.end();
      await endHolders(data);
    },
  };
}

async function durableStreams({ peer, dir, sessions }: StreamJob): Promise<StreamPeer> {
  const data = join(dir, "streams");
  mkdirSync(data, { recursive: true });
  const store = peer === "ds-file" ? "file" : "memory";
  const server = await Remote.start("servers/durable-streams.ts", { dir: data, store });
  const producer = await Remote.start("clients/producer.ts");
  const { port, paths, headers } = await server.call<Opened>("open", { count: sessions });
  return {
    targets: paths.map((path) => ({ port, headers, path: `${path}?offset=-1&live=sse` })),
    pids: [server.pid],
    emit: (session, emission) =>
      producer.call("emit", { place: { port, path: paths[session] }, ...emission }),
    async close() {
      await producer.end();
      await server.end();
    },
  };
}

function targetsOf({ port, paths, headers }: Opened): Target[] {
  return paths.map((path) => ({ port, path, headers }));
}

/** Ends all holders: a holder outlives its host, and would outlive the benchmark. */
export async function endHolders(data: string): Promise<void> {
  const { listHolders } = await import(
    "../../packages/server/src/holder/host-side/list-holders.ts"
  );
  const { killHolder } = await import("../../packages/server/src/holder/host-side/liveness.ts");
  const root = join(data, "holders");
  for (const { holderId } of listHolders(root)) await killHolder(join(root, holderId));
}
