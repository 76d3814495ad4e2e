/** A network on loopback for tests of the egress: names and public addresses that lead to local ports. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createEgress, type Egress, type EgressOptions } from "../egress.ts";
import type { NetworkRefusal } from "../refusals.ts";

export interface TestEgress {
  readonly egress: Egress;
  readonly port: number;
  readonly refusals: NetworkRefusal[];
  /** Names in the order in which they were resolved. */
  readonly resolved: string[];
  /** `address:port` of each connection to the network. */
  readonly connected: string[];
  /** Sends bytes to the egress, and returns its answer when it closes the connection. */
  send(bytes: string): Promise<string>;
  /** Opens a connection to the egress. */
  dial(): Promise<Socket>;
}

interface TestNetwork extends Partial<Omit<EgressOptions, "policy">> {
  readonly hosts?: readonly string[];
  readonly mode?: EgressOptions["policy"]["mode"];
  readonly forbidden?: readonly string[];
  /** Addresses by name; a function is asked anew each time. */
  readonly names?: Readonly<Record<string, readonly string[] | (() => readonly string[])>>;
  /** Local ports by `address:port`. An address without one is connected to as it is. */
  readonly routes?: Readonly<Record<string, number>>;
}

export async function openEgress(network: TestNetwork): Promise<TestEgress> {
  const { hosts = [], mode = "allow", forbidden = [], names = {}, routes = {}, ...given } = network;
  const refusals: NetworkRefusal[] = [];
  const resolved: string[] = [];
  const connected: string[] = [];
  const egress = createEgress({
    policy: { mode, hosts, forbidden },
    clock: systemClock(),
    onRefused: (refusal) => refusals.push(refusal),
    resolve: async (name) => {
      resolved.push(name);
      const found = names[name];
      return typeof found === "function" ? found() : (found ?? []);
    },
    connect: ([address = ""], port) => {
      connected.push(`${address}:${port}`);
      const local = routes[`${address}:${port}`];
      return connect({ host: "127.0.0.1", port: local ?? port, allowHalfOpen: true });
    },
    localAddresses: () => [],
    ...given,
  });
  const port = await listen(createServer((socket) => egress.accept(socket)));
  onTestFinished(() => egress.close());
  const dial = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return {
    egress,
    port,
    refusals,
    resolved,
    connected,
    dial,
    send: async (bytes) => {
      const socket = await dial();
      socket.write(bytes, "latin1");
      return allOf(socket);
    },
  };
}

/** Listens on a free port of loopback until the test is over. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** All bytes until the other side closes. */
export async function allOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  if (!socket.destroyed) await once(socket, "close");
  return text;
}

/** Waits until the connection has received the text; rejects when it closes before. */
export function received(socket: Socket, wanted: string): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (!text.includes(wanted)) return;
      socket.off("data", take);
      resolve(text);
    };
    socket.on("data", take);
    socket.once("close", () => reject(new Error(`closed after: ${text}`)));
  });
}
