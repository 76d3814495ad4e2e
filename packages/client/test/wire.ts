/**
 * A TCP proxy between a client and a host: it can cut connections, silently stop them, or change
 * bytes.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export class Wire {
  /** Changes bytes on their way to the client; it must keep the length, or frames would break. */
  rewrite: (bytes: Buffer) => Buffer = (bytes) => bytes;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server;

  private constructor(target: () => number) {
    this.#server = createServer((client) => {
      const host = connect(target(), "127.0.0.1");
      const pair = [client, host] as const;
      this.#pairs.add(pair);
      const end = () => {
        for (const socket of pair) socket.destroy();
        this.#pairs.delete(pair);
      };
      for (const socket of pair) socket.on("error", end).on("close", end);
      // Rewrites the Host header, because a host answers only to its own name.
      const [here, there] = [this.#port, target()].map((port) => `127.0.0.1:${port}`) as [
        string,
        string,
      ];
      client.on("data", (bytes) =>
        host.write(Buffer.from(bytes.toString("latin1").replace(here, there), "latin1")),
      );
      host.on("data", (bytes) => client.write(this.rewrite(bytes)));
    });
  }

  static async to(target: () => number): Promise<Wire> {
    const wire = new Wire(target);
    wire.#server.listen(0, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Silently stops all traffic on the open connections. */
  deafen(): void {
    for (const pair of this.#pairs)
      for (const socket of pair) socket.removeAllListeners("data").pause();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
