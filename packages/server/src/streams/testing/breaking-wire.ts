/** A TCP proxy that passes on a server's bytes up to a chosen count, then cuts both ends. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

export interface BreakingWire {
  readonly port: number;
  /** The number of cuts, and of those within a character. */
  readonly cuts: number;
  readonly cutsInCharacters: number;
  close(): void;
}

export interface WireOptions {
  /** The server's current port. */
  readonly target: () => number;
  /** The number of bytes after which the next connection breaks; null to keep it. */
  readonly breakAfter: () => number | null;
}

export async function breakingWire({ target, breakAfter }: WireOptions): Promise<BreakingWire> {
  const count = { cuts: 0, cutsInCharacters: 0 };
  const server = createServer((client) => {
    const remote = connect(target(), "127.0.0.1");
    const end = () => {
      client.destroy();
      remote.destroy();
    };
    for (const socket of [client, remote]) socket.on("error", end).on("close", end);
    client.pipe(remote);
    let left = breakAfter() ?? Number.POSITIVE_INFINITY;
    remote.on("data", (bytes: Buffer) => {
      if (bytes.length <= left) {
        left -= bytes.length;
        client.write(bytes);
        return;
      }
      count.cuts++;
      if (isContinuation(bytes[left])) count.cutsInCharacters++;
      remote.removeAllListeners("data");
      // The last bytes still arrive, as on a real network.
      client.end(bytes.subarray(0, left), end);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return count.cuts;
    },
    get cutsInCharacters() {
      return count.cutsInCharacters;
    },
    close: () => server.close(),
  };
}

/** True for every byte of a UTF-8 character except its first. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
