/** Serves slices to sockets as SSE frames, with backpressure. */

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Slice } from "../packages/server/src/journal/journal.ts";
import { sseFrames } from "../packages/server/src/streams/sse/sse.ts";

export interface SseServer {
  readonly port: number;
  close(): void;
}

/** Sends each connection all slices once, then ends it; it starts at the client's first byte. */
export async function serve(slices: () => AsyncIterable<Slice>): Promise<SseServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Clients of a time-boxed workload disconnect in the middle.
    socket.on("error", () => socket.destroy());
    socket.once("data", () => void pump(slices(), socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function pump(slices: AsyncIterable<Slice>, socket: Socket): Promise<void> {
  try {
    for await (const slice of slices) {
      if (socket.destroyed) return;
      if (!socket.write(sseFrames(slice))) await drained(socket);
    }
    socket.end();
  } catch (error) {
    if (!socket.destroyed) throw error;
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      socket.off("drain", go).off("close", go);
      resolve();
    };
    socket.on("drain", go).on("close", go);
  });
}
