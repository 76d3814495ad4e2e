/** A host for the tests of one file, and the commands that a user of the same machine calls. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "@holdfast/client";
import { afterAll, beforeAll, expect } from "vitest";
import { type HostProcess, type StartOptions, startHost } from "../host/process.ts";
import { runHere } from "./run-here.ts";
import { type Ended, lines } from "./terminal.ts";

/** The program's name in hints where no `holdfast` is on the PATH. */
export const own = fileURLToPath(new URL("../../node_modules/.bin/holdfast", import.meta.url));

export interface Served {
  readonly folder: string;
  readonly data: string;
  readonly host: HostProcess;
  readonly client: Client;
  kill(): Promise<void>;
  /** Starts another host on the same data, at another port. */
  startAgain(): Promise<void>;
  /** The arguments of a command for this host. */
  at(...args: string[]): string[];
  /** Runs a command for this host in the test's own process. */
  holdfast(...args: string[]): Promise<Ended>;
  json(...args: string[]): Promise<Record<string, unknown>[]>;
  /** A new session that works on this message. */
  session(message: string): Promise<string>;
  /** Resolves once the session is idle. */
  idle(id: string): Promise<void>;
}

/** The host starts before the tests of the file that calls this, and ends after them. */
export function served(options: StartOptions = {}): Served {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
  const data = join(folder, "data");
  const at = (...args: string[]): string[] => [...args, "--data", data];
  const holdfast = (...args: string[]): Promise<Ended> => runHere(at(...args));
  let host: HostProcess;
  let client: Client;

  const start = async (): Promise<void> => {
    host = await startHost(data, options);
    client = createClient({ url: host.ready.url, token: host.ready.token });
  };

  beforeAll(start);

  afterAll(async () => {
    // A run that a failed test left open would continue in its holder for a day.
    const { sessions } = await client.call("listSessions", { query: { limit: 200 } });
    for (const { id, lifecycle } of sessions) {
      if (lifecycle !== "ended") await client.call("endSession", { params: { sessionId: id } });
    }
    await host.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  return {
    folder,
    data,
    get host() {
      return host;
    },
    get client() {
      return client;
    },
    async kill() {
      await host.end("SIGKILL");
    },
    startAgain: start,
    at,
    holdfast,
    json: async (...args) => lines((await holdfast(...args, "--json")).stdout),
    async session(message) {
      const { session } = await client.call("createSession", { body: { agent: "demo", message } });
      return session.id;
    },
    async idle(sessionId) {
      const status = async () =>
        (await client.call("getSession", { params: { sessionId } })).session.status;
      await expect.poll(status, { timeout: 20_000 }).toBe("idle");
    },
  };
}
