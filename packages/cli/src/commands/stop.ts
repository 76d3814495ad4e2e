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
  if (found === null) return tellNone(dir, json);
  const { pid, url, bootId } = found;
  const health = await healthOf(url);
  // The pid in the file may belong to another process by now, so the host must report the same pid.
  if (health?.pid !== pid)
    throw new CliError(
      "no_host",
      `Another program answers at ${url}. Stop the host yourself: kill ${pid}`,
    );
  const paused = all ? await withProgressNotes("pausing sessions", pauseAll(data), json) : 0;
  terminate(pid);
  await withProgressNotes("waiting for the host to stop", gone(pid), json);
  if (json) await print({ stopped: true, pid, bootId, paused });
  else say(`holdfast: stopped${all ? `, ${count(paused, "session")} paused` : ""}`);
  return exitCodes.ok;
});

/** Succeeds, because nothing is left to stop, unless a process that cannot be found has the data. */
async function tellNone(dir: string, json: boolean): Promise<number> {
  if (isLocked(dir)) {
    const said = `A process uses ${dir}, but no host answers there. See: ${hint("doctor")}`;
    throw new CliError("no_host", said);
  }
  if (json) await print({ stopped: false });
  else say(`holdfast: no host runs on ${dir}`);
  return exitCodes.ok;
}

async function pauseAll(data: string | undefined): Promise<number> {
  const client = await connect({ url: undefined, data });
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
