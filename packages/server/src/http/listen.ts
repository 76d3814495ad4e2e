/** Starts an HTTP server on a port, or rejects with the reason. */

import type { Server } from "node:http";
import { HostError } from "@holdfast/protocol";
import { serve } from "@hono/node-server";
import { serverOptions } from "../access/limits/limits.ts";

type Fetch = Parameters<typeof serve>[0]["fetch"];

export function bound(fetch: Fetch, hostname: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const options = { fetch, hostname, port, serverOptions: serverOptions() };
    const server = serve(options, () => resolve(server)) as Server;
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(unavailable(error, hostname, port));
    });
  });
}

function unavailable(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EACCES") {
    return new HostError("bad_input", `You may not open port ${port}. Choose one above 1023.`);
  }
  if (error.code === "EADDRNOTAVAIL") {
    return new HostError(
      "bad_input",
      `${host} is not an address of this machine. Choose another --host.`,
    );
  }
  if (error.code !== "EADDRINUSE") return error;
  return new HostError(
    "bad_input",
    `Port ${port} on ${host} is in use. Choose another with --port.`,
  );
}
