/** A host that listens. It is recovered before the first request can arrive. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type AgentView, HostError, type RouteReply } from "@holdfast/protocol";
import { Access } from "./access/credentials/access.ts";
import { HOST_TENANT } from "./access/credentials/caller.ts";
import { agentView } from "./agents/table/table.ts";
import { refuseClock, systemClock } from "./base/clock.ts";
import { replacePrivate } from "./base/private-file.ts";
import type { Config } from "./config.ts";
import { privateUmask } from "./holder/processes/config.ts";
import { type HostOptions, type HostParts, reportError, wireHost } from "./host.ts";
import { HttpServer } from "./http/http-server.ts";
import { linkUrl, type Reach } from "./http/request/link-addresses.ts";
import { journalFiles } from "./journal/sqlite/file/files.ts";
import { closeToOthers } from "./private-data.ts";
import { stillRunning } from "./runtime/pause-all.ts";
import { Streams } from "./streams/streams.ts";

export interface Serving {
  readonly host: HostParts;
  readonly url: string;
  readonly token: string;
  /** Creates a link that signs in one more device, once. */
  link(): { readonly url: string; readonly reach: Reach };
  readonly agents: readonly AgentView[];
  /** Stops serving; returns the number of runs that continue in their holders. */
  close(): Promise<number>;
}

export async function serve(config: Config): Promise<Serving> {
  const { data } = config;
  let streams: Streams | null = null;
  const host = await open(config, {
    spareHolder: true,
    onToken: (session, run, token) => streams?.tokens.offer(session, run, token),
  });
  try {
    const access = new Access({ dir: data, clock: host.clock, random });
    streams = new Streams({ ...host, onError: reportError });
    const server = new HttpServer(config, access, streams, host);
    const url = await server.open();
    const hostFile = join(data, "host.json");
    const { supervisor } = config;
    const self = `${JSON.stringify({ url, pid: process.pid, bootId: host.bootId, supervisor })}\n`;
    announce(data, hostFile, self);
    return {
      host,
      url,
      token: access.hostToken,
      agents: host.definitions.map(agentView),
      link() {
        const { address, reach } = server.addresses();
        return { url: linkUrl(address, access.createLink(access.owner, null).code), reach };
      },
      async close() {
        host.openedFiles.leaveIfLost();
        removeIf(hostFile, self);
        await server.close();
        access.close();
        return host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Pauses the sessions that a stopped host left, and ends their agents; starts none. */
export async function pauseStopped(config: Config): Promise<RouteReply<"pauseHost">> {
  const host = await open(config, { onlyPauses: true });
  try {
    const { paused, failed } = host.paused ?? { paused: [], failed: [] };
    const { message: reason } = stillRunning();
    const living = (await host.runtimes.living()).map(({ session, tenant }) => {
      return { session, tenant, reason };
    });
    const isLiving = new Set(living.map(({ session }) => session));
    const ended = paused.filter((session) => !isLiving.has(session));
    return { paused: ended.length, failed: [...failed, ...living] };
  } finally {
    await host.close();
  }
}

const random = (bytes: number) => randomBytes(bytes);

/** Opens the host of a config. The umask set here makes every file of this process private. */
async function open(config: Config, options: Partial<HostOptions>): Promise<HostParts> {
  const { data } = config;
  const umask = process.umask(privateUmask);
  const clock = systemClock();
  refuseClock(clock.now());
  closeToOthers(data, say);
  refuseLostJournal(data);
  return wireHost({
    data,
    umask,
    definitions: config.agents,
    policy: config.policy ?? {},
    limits: config.limits ?? {},
    clock,
    random,
    onError: reportError,
    mayWorkInPlace: (tenant) => tenant === HOST_TENANT,
    ...options,
  });
}

/** Writes the host file; on a full disk frees the reserved space, or serves without it. */
function announce(data: string, hostFile: string, self: string): void {
  try {
    try {
      replacePrivate(hostFile, self);
    } catch (error) {
      if (!isFull(error)) throw error;
      rmSync(journalFiles(data).ballast, { force: true });
      replacePrivate(hostFile, self);
    }
  } catch (error) {
    if (!isFull(error)) throw error;
    say(
      `the disk under ${data} is full, so commands need --url to find this host. The host keeps running.`,
    );
  }
}

function isFull(error: unknown): boolean {
  return error instanceof HostError && error.code === "journal_full";
}

function say(line: string): void {
  process.stderr.write(`holdfast: ${line}\n`);
}

/** Removes the file unless another host has rewritten it. */
function removeIf(path: string, text: string): void {
  const isOurs = existsSync(path) && readFileSync(path, "utf8") === text;
  if (isOurs) rmSync(path, { force: true });
}

/** Refuses a directory with a token but no journal: the token comes last, so it was lost. */
function refuseLostJournal(data: string): void {
  if (!existsSync(join(data, "token"))) return;
  const journal = join(data, "journal.db");
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  // A write-ahead log may restore the journal; opening it reports problems.
  if (size(journal) > 0 || size(`${journal}-wal`) > 0) return;
  throw new HostError(
    "data_damaged",
    `${journal} is missing or empty, although ${data} contains other data of a host. Restore it from a backup, or name a new directory with --data.`,
  );
}
