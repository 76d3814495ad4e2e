/** A streamed reply through the egress, in origin form, or through a bare pipe: delay and CPU. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { systemClock } from "../../packages/server/src/base/clock.ts";
import { createEgress } from "../../packages/server/src/egress/egress.ts";
import type { Job, Metrics } from "../cell.ts";
import type { Told } from "../clients/reply-stream.ts";
import { percentile } from "../stats.ts";

export async function run({ peer, options }: Job): Promise<Metrics> {
  const { events = 10_000, rate = 0 } = options;
  const far = fork(new URL("../clients/reply-stream.ts", import.meta.url));
  const [model] = (await once(far, "message")) as [number];
  const server = createServer(peer === "floor" ? barePipe(model) : egressTo(model));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = async (count: number) => {
    far.send({ port, path: "/model/reply", events: count, rate });
    return ((await once(far, "message")) as [Told])[0].delaysMs;
  };
  try {
    await ask(Math.ceil(events / 10));
    const before = process.cpuUsage();
    const delays = Float64Array.from(await ask(events)).sort();
    const { user, system } = process.cpuUsage(before);
    return {
      delayP50Ms: percentile(delays, 0.5),
      delayP99Ms: percentile(delays, 0.99),
      cpuUsPerEvent: (user + system) / events,
    };
  } finally {
    far.kill();
  }
}

function barePipe(port: number): (socket: Socket) => void {
  return (socket) => {
    const far = connect(port, "127.0.0.1");
    for (const one of [socket, far]) one.setNoDelay(true).on("error", () => undefined);
    socket.pipe(far);
    far.pipe(socket);
  };
}

function egressTo(port: number): (socket: Socket) => void {
  const host = `127.0.0.1:${port}`;
  const egress = createEgress({
    policy: { mode: "allow", hosts: [host], forbidden: [] },
    origins: [{ prefix: "/model", base: `http://${host}` }],
    credentials: [{ host, header: "x-api-key", value: "sk-0123456789" }],
    clock: systemClock(),
    onRefused: ({ reason }) => {
      throw new Error(`The egress refused its model: ${reason}.`);
    },
  });
  return (socket) => egress.accept(socket);
}
