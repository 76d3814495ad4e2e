/**
 * The holder's process: `node main.ts <its directory>`; a spare one is told it later. Everything it will ever run is loaded by the
 * imports below, because an upgrade may replace the files while it lives.
 */

import { rmSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { createServer, type Server } from "node:net";
import { namespacesAllowed, privateUmask } from "./config.ts";
import { socketName } from "./files.ts";
import { holderProtocol } from "./frames.ts";
import { tryNamespaces } from "./gate.ts";
import { Holder } from "./holder.ts";
import { claimAlive } from "./identity.ts";
import { closeInherited } from "./inherited.ts";
import { type LaunchFile, readLaunchFile } from "./launch-file.ts";
import { moveTo, toldDirectory } from "./waiting.ts";

/** A host that is told goodbye takes it at once; one that does not is not waited for. */
const GOODBYE_LIMIT = 500;

const here = ".";

closeInherited();
const [, , given] = process.argv;
if (given === undefined) waitForDirectory();
else process.chdir(given);
process.umask(privateUmask);
// A terminal that closes, or its Ctrl-C, is meant for the host.
for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => undefined);

const launch = readLaunchFile(here);
if (launch === null) throw new Error(`There is no launch.json in ${process.cwd()}.`);
// Whoever finds a tombstone in its place was given up by a host: it must not start anything.
if (claimAlive(here, { protocol: holderProtocol, version: launch.version })) hold(launch);

function hold(launch: LaunchFile): void {
  const holder = new Holder({
    dir: here,
    launch,
    namespaces: namespacesAllowed(),
    onLeave: () => leave(holder, server),
  });
  const server = createServer((socket) => holder.door.accept(socket));
  server.listen(socketName, flushCompileCache);
  process.on("SIGTERM", () => holder.leave("stopped"));
  process.on("exit", () => holder.killAgent());
}

/** Everything is loaded and tried by then; only which one it is, is missing. */
function waitForDirectory(): void {
  if (namespacesAllowed()) tryNamespaces();
  const dir = toldDirectory();
  if (dir === null) process.exit(0);
  moveTo(dir);
}

let isLeaving = false;

function leave(holder: Holder, server: Server): void {
  if (isLeaving) return;
  isLeaving = true;
  // Without its socket nobody can take it for alive any more; its host may have removed all by now.
  rmSync(socketName, { force: true });
  server.close(() => process.exit(0));
  holder.door.host?.close();
  setTimeout(() => process.exit(0), GOODBYE_LIMIT);
}
