/**
 * The holder's process: `node main.ts <its directory>`; a spare holder gets its directory later.
 * The imports below load all code that it will ever run, because an upgrade may replace the files
 * while it runs.
 */

import { rmSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { createServer, type Server } from "node:net";
import { tryNamespaces } from "./agent/gate.ts";
import { socketName } from "./directory/files.ts";
import { claimAlive } from "./directory/identity.ts";
import { type LaunchFile, readLaunchFile } from "./directory/launch-file.ts";
import { Holder } from "./holder.ts";
import { namespacesAllowed, privateUmask } from "./processes/config.ts";
import { closeInherited } from "./processes/inherited.ts";
import { awaitDirectory, enterDirectory } from "./spare-directory.ts";
import { holderProtocol } from "./spool/frames.ts";

/** Time for a host to close its connection before the process exits. */
const GOODBYE_LIMIT = 500;

const here = ".";

closeInherited();
const [, , given] = process.argv;
if (given === undefined) waitForDirectory();
else process.chdir(given);
process.umask(privateUmask);
// A closed terminal or its Ctrl-C is meant for the host.
for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => undefined);

const launch = readLaunchFile(here);
if (launch === null) throw new Error(`There is no launch.json in ${process.cwd()}.`);
// With a tombstone in its place a host has given this holder up, and it must not start an agent.
if (claimAlive(here, { protocol: holderProtocol, version: launch.version })) hold(launch);

function hold(launch: LaunchFile): void {
  const holder = new Holder({
    dir: here,
    launch,
    namespaces: namespacesAllowed(),
    onLeave: () => leave(holder, server),
  });
  const server = createServer((socket) => holder.server.accept(socket));
  server.listen(socketName, flushCompileCache);
  process.on("SIGTERM", () => holder.leave("stopped"));
  process.on("exit", () => holder.killAgent());
}

/** Waits as a spare, with all code loaded and namespaces tried, until it gets its directory. */
function waitForDirectory(): void {
  if (namespacesAllowed()) tryNamespaces();
  const dir = awaitDirectory();
  if (dir === null) process.exit(0);
  enterDirectory(dir);
}

let isLeaving = false;

function leave(holder: Holder, server: Server): void {
  if (isLeaving) return;
  isLeaving = true;
  // Without its socket it no longer counts as alive; its host may already have removed the
  // directory.
  rmSync(socketName, { force: true });
  server.close(() => process.exit(0));
  holder.server.host?.close();
  setTimeout(() => process.exit(0), GOODBYE_LIMIT);
}
