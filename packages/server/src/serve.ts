/** A host that listens. Everything is recovered before the first request can come in. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type AgentView, HostError } from "@holdfast/protocol";
import { openAccess } from "./access/access.ts";
import { HOST_TENANT } from "./access/caller.ts";
import { replacePrivate } from "./access/private-file.ts";
import { agentView } from "./agents/table.ts";
import { refuseClock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { privateUmask } from "./holder/config.ts";
import { type Host, openHost, reportError } from "./host.ts";
import { Door } from "./http/door.ts";
import { linkUrl, type Reach } from "./http/link-addresses.ts";
import { journalFiles } from "./journal/sqlite/files.ts";
import { closeToOthers } from "./private-data.ts";
import { Streams } from "./streams/streams.ts";

export interface Serving {
  readonly host: Host;
  readonly url: string;
  readonly token: string;
  /** A new link each time, which lets one more device in, once. */
  link(): { readonly url: string; readonly reach: Reach };
  readonly agents: readonly AgentView[];
  /** Returns how many runs go on in their holders. */
  close(): Promise<number>;
}

/** From here on nothing that this process makes is for others, whichever part of it makes it. */
export async function serve(config: Config): Promise<Serving> {
  const { data } = config;
  const umask = process.umask(privateUmask);
  const clock = systemClock();
  refuseClock(clock.now());
  closeToOthers(data, say);
  refuseLostJournal(data);
  const random = (bytes: number) => randomBytes(bytes);
  let streams: Streams | null = null;
  const host = await openHost({
    ...{
      data,
      umask,
      spareHolder: true,
      definitions: config.agents,
      policy: config.policy ?? {},
      limits: config.limits ?? {},
      clock,
      random,
      onError: reportError,
    },
    mayWorkInPlace: (tenant) => tenant === HOST_TENANT,
    onToken: (session, run, token) => streams?.tokens.offer(session, run, token),
  });
  try {
    const access = openAccess({ dir: data, clock, random });
    streams = new Streams({ sessions: host.sessions, onError: reportError });
    const door = new Door(config, access, streams, host);
    const url = await door.open();
    const hostFile = join(data, "host.json");
    const self = `${JSON.stringify({ url, pid: process.pid, bootId: host.bootId })}\n`;
    announce(data, hostFile, self);
    return {
      ...{ host, url, token: access.hostToken, agents: host.definitions.map(agentView) },
      link() {
        const { address, reach } = door.addresses();
        return { url: linkUrl(address, access.createLink(access.owner, null).code), reach };
      },
      async close() {
        host.ground.leaveIfLost();
        removeIf(hostFile, self);
        await door.close();
        access.close();
        return host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** On a full disk the space that is kept in hand makes room; without any it serves all the same. */
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
    say(`the disk under ${data} is full, so commands find this host by --url alone. It serves.`);
  }
}

function isFull(error: unknown): boolean {
  return error instanceof HostError && error.code === "journal_full";
}

function say(line: string): void {
  process.stderr.write(`holdfast: ${line}\n`);
}

/** What another host says of itself is left to it. */
function removeIf(path: string, text: string): void {
  const isOurs = existsSync(path) && readFileSync(path, "utf8") === text;
  if (isOurs) rmSync(path, { force: true });
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
