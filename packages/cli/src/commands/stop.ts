import { existsSync } from "node:fs";
import { join } from "node:path";
import { count, HostError, type RouteReply } from "@holdfast/protocol";
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
  const { paused, code } = all ? await pausing(pauseServed(data), json) : notPaused;
  terminate(pid);
  await withProgressNotes("waiting for the host to stop", gone(pid), json);
  if (json) await print({ stopped: true, pid, bootId, paused });
  else say(`holdfast: stopped${all ? `, ${count(paused, "session")} paused` : ""}`);
  return code;
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
  const isLeft = all && existsSync(join(dir, "journal.db"));
  const { paused, code } = isLeft ? await pausing(pauseLeft(dir), json) : notPaused;
  const pausedWords = isLeft ? `, ${count(paused, "session")} paused` : "";
  if (json) await print({ stopped: false, ...(isLeft ? { paused } : {}) });
  else say(`holdfast: no host runs on ${dir}${pausedWords}`);
  return code;
}

type PausedAll = RouteReply<"pauseHost">;

interface Pausing {
  readonly paused: number;
  readonly code: number;
}

const notPaused: Pausing = { paused: 0, code: exitCodes.ok };

async function pauseServed(data: string | undefined): Promise<PausedAll> {
  const client = await connect({ url: undefined, data });
  return client.call("pauseHost", { body: {} });
}

async function pauseLeft(data: string): Promise<PausedAll> {
  const { pauseStopped, readConfig } = await import("@holdfast/server");
  return pauseStopped(readConfig({ data }));
}

/** Names the sessions that could not be paused; one is enough for the exit code of a failure. */
async function pausing(all: Promise<PausedAll>, json: boolean): Promise<Pausing> {
  const { paused, failed } = await withProgressNotes("pausing sessions", all, json);
  for (const { session, tenant, reason } of failed) {
    say(`holdfast: ${session} (tenant ${tenant}) was not paused: ${reason}`);
  }
  return { paused, code: failed.length === 0 ? exitCodes.ok : exitCodes.failed };
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
