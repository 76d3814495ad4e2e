/** A host that listens. Everything is recovered before the first request can come in. */

import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import { serve as listen } from "@hono/node-server";
import type { Config } from "./config.ts";
import { type Host, openHost } from "./host.ts";
import { createApp } from "./http/app.ts";
import { hostToken } from "./http/host-token.ts";
import { version } from "./version.ts";

export interface Serving {
  readonly host: Host;
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

export async function serve(config: Config): Promise<Serving> {
  refuseLostJournal(config.data);
  const host = await openHost({ data: config.data });
  try {
    const token = hostToken(config.data, (bytes) => randomBytes(bytes));
    const { bootId } = host;
    const app = createApp(() => ({ status: "ok", bootId, version, pid: process.pid }));
    const { url, stop } = await start(app.fetch, config);
    return {
      host,
      url,
      token,
      async close() {
        await stop();
        await host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** The token is made after the journal: where it lies alone, the journal was lost, not never there. */
function refuseLostJournal(data: string): void {
  if (!existsSync(join(data, "token"))) return;
  const journal = join(data, "journal.db");
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  // With a log it can be repaired, and whoever opens it says so.
  if (size(journal) > 0 || size(`${journal}-wal`) > 0) return;
  throw new HostError(
    "data_damaged",
    `${journal} is missing or empty, but ${data} was in use. Restore it from a backup, or name a new directory with --data.`,
  );
}

function start(fetch: Parameters<typeof listen>[0]["fetch"], { host, port }: Config) {
  return new Promise<{ url: string; stop: () => Promise<void> }>((resolve, reject) => {
    const server = listen({ fetch, hostname: host, port }, (info) => {
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({
        url: `http://${name}:${info.port}`,
        stop: () =>
          new Promise((done) => {
            server.close(() => done());
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
    server.once("error", (error: NodeJS.ErrnoException) => reject(unavailable(error, host, port)));
  });
}

function unavailable(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EACCES") {
    return new HostError("bad_input", `Port ${port} is not yours to open. Choose one above 1023.`);
  }
  if (error.code !== "EADDRINUSE") return error;
  return new HostError(
    "bad_input",
    `Port ${port} on ${host} is taken. Choose another with --port.`,
  );
}
