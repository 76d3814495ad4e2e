/** A served host and the client processes that race on it. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { Child, Driven, type SpawnOptions } from "./children.ts";
import type { Order, Tried } from "./client.ts";
import type { Job } from "./driver.ts";
import { dropFolder, newFolder } from "./places.ts";
import { Wire } from "./wire.ts";

export const CLIENTS = ["red", "green", "blue"] as const;
/** Time to connect, so that all clients start at the same moment. */
const HEAD_START_MS = 60;

export interface Served {
  readonly wire: Wire;
  readonly socket: string;
  readonly data: string;
  /** Starts a new boot on the same directory. */
  restart(): Promise<void>;
}

export async function served<T>(
  act: (host: Served) => Promise<T>,
  options: SpawnOptions = {},
): Promise<T> {
  const folder = newFolder("served");
  const socket = join(folder, "socket");
  const job: Job = {
    data: join(folder, "data"),
    records: join(folder, "records"),
    work: { name: "serve", socket },
  };
  const start = async () => {
    rmSync(socket, { force: true });
    const next = new Driven(job, options);
    await next.word("listening");
    return next;
  };
  let host = await start();
  const wire = new Wire(socket);
  try {
    return await act({
      wire,
      socket,
      data: job.data,
      async restart() {
        await host.kill();
        wire.close();
        host = await start();
      },
    });
  } finally {
    wire.close();
    await host.kill();
    dropFolder(folder);
  }
}

export type Race = (order: Omit<Order, "socket" | "at">) => Promise<Tried[]>;

/**
 * Runs `act` with client processes that live through all rounds; each order goes to all of them.
 */
export async function racing<T>(host: Served, act: (race: Race) => Promise<T>): Promise<T> {
  const clients = CLIENTS.map((name) => new Child("client.ts", [name]));
  try {
    return await act(async (order) => {
      const all = clients.map(async (client) => {
        client.words.length = 0;
        client.send(
          JSON.stringify({ ...order, socket: host.socket, at: Date.now() + HEAD_START_MS }),
        );
        return JSON.parse(await client.until((word) => word.startsWith("["), 60_000)) as Tried[];
      });
      return (await Promise.all(all)).flat();
    });
  } finally {
    await Promise.all(clients.map((client) => client.kill()));
  }
}

export async function openSession(wire: Wire, content: string, what: "waiting" | "running") {
  const session = await wire.get<string>("", "newSession");
  const about = { tenant: "once", title: "once", agentName: "demo" };
  await wire.get(session, "create", { sessionId: session, ...about });
  await wire.get(session, "prompt", { content, clientId: "first" });
  const run = await wire.get<{ id: string; approvals: { id: string }[] }>(session, what);
  return { session, run };
}

export async function count(wire: Wire, session: string, kind: string): Promise<number> {
  const lines = await wire.get<string>(session, "lines");
  return lines.split(`"kind":"${kind}"`).length - 1;
}
