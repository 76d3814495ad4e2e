import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "@holdfast/client";
import { count, HostError } from "@holdfast/protocol";
import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { CliError, exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { hint } from "../hint.ts";
import { connect, findHost, healthOf } from "../host/connect.ts";
import { isLocked } from "../host/data-lock.ts";
import { isAlive } from "../host/host-file.ts";
import { print, say } from "../output/print.ts";
import { withProgressNotes } from "../output/progress-notes.ts";

const flags = {
  all: {
    does: "first pause all sessions of all tenants; otherwise runs keep going without the host",
  },
  ...localFlags,
} as const;

const spec = { name: "stop", does: "stop the host; runs keep going without it", flags } as const;

/** Enough time for a host to end its streams and close its journal. */
const LONGEST = 20_000;
const STEP = 100;

export const stop = command(spec, async ({ data, all, json }) => {
  const dir = dataDirectory(data);
  const found = await findHost(dir);
  if (found === null) return tellNone(dir, all, json);
  const { pid, url, bootId } = found;
  const health = await healthOf(url);
  // The pid in the file may belong to another process by now, so the host must report the same pid.
  if (health?.pid !== pid)
    throw new CliError(
      "no_host",
      `Another program answers at ${url}. Stop the host yourself: kill ${pid}`,
    );
  const paused = all
    ? await withProgressNotes(
        "pausing sessions",
        pauseAll(await connect({ url: undefined, data })),
        json,
      )
    : 0;
  terminate(pid);
  await withProgressNotes("waiting for the host to stop", gone(pid), json);
  if (json) await print({ stopped: true, pid, bootId, paused });
  else say(`holdfast: stopped${all ? `, ${count(paused, "session")} paused` : ""}`);
  return exitCodes.ok;
});

/**
 * Succeeds, because no host is left to stop, unless a process that cannot be found has the data.
 * With `--all` it also ends the agents that an earlier host left running.
 */
async function tellNone(dir: string, all: boolean, json: boolean): Promise<number> {
  if (isLocked(dir)) {
    const said = `A process uses ${dir}, but no host answers there. See: ${hint("doctor")}`;
    throw new CliError("no_host", said);
  }
  const isLeft = all && hasAgents(dir);
  const paused = isLeft ? await withProgressNotes("pausing sessions", pauseLeft(dir), json) : 0;
  const pausedWords = isLeft ? `, ${count(paused, "session")} paused` : "";
  if (json) await print({ stopped: false, ...(isLeft ? { paused } : {}) });
  else say(`holdfast: no host runs on ${dir}${pausedWords}`);
  return exitCodes.ok;
}

/** True when agents run without a host: each has a folder in `holders`. */
function hasAgents(dir: string): boolean {
  const holders = join(dir, "holders");
  return existsSync(holders) && readdirSync(holders).some((name) => !name.startsWith("."));
}

/** Pauses the sessions through a host that runs in this process for as long as that takes. */
async function pauseLeft(data: string): Promise<number> {
  const { readConfig, serve } = await import("@holdfast/server");
  const serving = await serve(readConfig({ data, port: "0", host: "127.0.0.1" }));
  try {
    return await pauseAll(createClient(serving));
  } finally {
    await serving.close();
  }
}

async function pauseAll(client: Client): Promise<number> {
  const { paused, failed } = await client.call("pauseHost", { body: {} });
  for (const { session, tenant, reason } of failed) {
    say(`holdfast: ${session} (tenant ${tenant}) was not paused: ${reason}`);
  }
  return paused;
}

function terminate(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    throw new HostError(
      "forbidden",
      `The host (pid ${pid}) belongs to another user. Stop it as that user.`,
    );
  }
}

async function gone(pid: number): Promise<void> {
  for (let waited = 0; waited < LONGEST; waited += STEP) {
    if (!isAlive(pid)) return;
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  throw new CliError(
    "no_host",
    `The host (pid ${pid}) did not stop within ${LONGEST / 1000} s. You may kill it: kill -9 ${pid}`,
  );
}
