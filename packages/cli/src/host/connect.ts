/** Finds the host to connect to: by its address, or by its data directory. */

import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, TransportError } from "@holdfast/client";
import { dataDirectory, type HostGiven, surroundings } from "../config.ts";
import { CliError, usage } from "../exit.ts";
import { hint } from "../hint.ts";
import { withProgressNotes } from "../output/progress-notes.ts";
import { type HostFile, isAlive, readHostFile, readToken } from "./host-file.ts";

export async function connect(given: HostGiven): Promise<Client> {
  const data = dataDirectory(given.data);
  const address = given.url ?? surroundings().url;
  const { tenant } = given;
  if (address !== undefined) {
    return createClient({ url: httpUrl(address), token: tokenFor(address, data), tenant });
  }
  const found = await runningHost(data);
  const token = surroundings().token ?? readToken(data);
  if (token === null)
    throw new CliError(
      "no_token",
      `There is no token in ${data}. Restart the host: it makes a new one.`,
    );
  // The address is read for each request, because a restarted host may listen on another port.
  return createClient({ url: () => readHostFile(data)?.url ?? found.url, token, tenant });
}

/**
 * The host that wrote the host file; a different program that got its port later is rejected. A
 * host that was killed is waited for while its supervisor starts it again.
 */
export async function runningHost(data: string): Promise<HostFile> {
  const host = await findHost(data);
  if (host !== null) return host;
  const isKilled = readHostFile(data) !== null;
  throw noHost(isKilled ? `The host of ${data} was killed.` : `No host runs on ${data}.`);
}

/** Null when no host wrote a file, or the one that did was killed. */
export async function findHost(data: string): Promise<HostFile | null> {
  const file = readHostFile(data);
  if (file === null) return null;
  const health = await healthOf(file.url);
  if (health === null && !isAlive(file.pid)) {
    return withProgressNotes("the host was killed; waiting for its restart", nextHost(data, file));
  }
  if (health === null) {
    const said = `The host of ${data} (pid ${file.pid}) does not answer. To find out why: ${hint("doctor")}`;
    throw new CliError("no_host", said);
  }
  if (health.bootId !== file.bootId) {
    throw noHost(`No host runs on ${data}; another program answers at ${file.url}.`);
  }
  return file;
}

/** Longer than a supervisor's pauses and the start of a host. */
const LONGEST_RESTART = 10_000;
const STEP = 50;

/** The host that the supervisor started in place of this one; null when there is none. */
async function nextHost(data: string, { supervisor, bootId }: HostFile): Promise<HostFile | null> {
  for (let waited = 0; waited < LONGEST_RESTART; waited += STEP) {
    const file = readHostFile(data);
    if (file !== null && file.bootId !== bootId) {
      return (await healthOf(file.url))?.bootId === file.bootId ? file : null;
    }
    // After a restart of the machine another process may have this pid, so the wait has an end.
    if (supervisor === null || !isAlive(supervisor)) return null;
    await sleep(STEP);
  }
  return null;
}

/** A working host answers within milliseconds. */
const LONGEST_HEALTH = 5000;

export async function healthOf(url: string): Promise<{ bootId: string; pid: number } | null> {
  const signal = AbortSignal.timeout(LONGEST_HEALTH);
  try {
    return await createClient({ url, token: "", tries: 1 }).call("health", { signal });
  } catch (error) {
    if (error instanceof TransportError || signal.aborted) return null;
    throw error;
  }
}

function noHost(what: string): CliError {
  return new CliError("no_host", `${what} Start one with: ${hint("serve")}`);
}

/** The token for an address. The host's own token is sent only to this machine. */
function tokenFor(address: string, data: string): string {
  const { token } = surroundings();
  const local = token === undefined && isLoopback(address) ? readToken(data) : null;
  const found = token ?? local;
  if (found !== null) return found;
  throw new CliError("no_token", `Set HOLDFAST_TOKEN to an API key of the host at ${address}.`);
}

function httpUrl(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address)) return address;
  throw usage(`"${address}" is not an address. An address looks like http://127.0.0.1:4860.`);
}

/** True when the host runs on this machine and shares its folders. */
export function isLocal(given: HostGiven): boolean {
  const address = given.url ?? surroundings().url;
  return address === undefined || isLoopback(address);
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(httpUrl(address));
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
