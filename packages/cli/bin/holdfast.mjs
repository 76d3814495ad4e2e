#!/usr/bin/env node
// Plain JavaScript that every Node version can parse, so that an old Node prints a sentence instead
// of a stack trace.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
// A default import: an old Node would fail on a named import that it does not have.
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const REQUIRED_MAJOR = 24;
const major = Number(process.versions.node.split(".")[0]);
const self = fileURLToPath(import.meta.url);
const isClone = existsSync(new URL("../src/main.ts", import.meta.url));
// Neither can be set from inside a process that runs. With a small young generation V8 collects often:
// 400 callers at once on a new host cost 27 to 41 MB, where they cost 61 to 101 MB without the flag. A
// session that streams flat out costs 7 to 19 % more processor time with the flag, and 18 to 22 % more
// if it says 4 MB.
const flags = [
  "--max-semi-space-size=8",
  ...(isClone ? ["--conditions=holdfast-source"] : []), // a clone runs its sources
];

if (major < REQUIRED_MAJOR) await useOwnNode();
else await start();

/** A clone has its own Node among its dependencies and runs on that one. */
async function useOwnNode() {
  const node = fileURLToPath(new URL("../../../node_modules/node/bin/node", import.meta.url));
  if (!isClone || !existsSync(node)) {
    const get = isClone
      ? `Run "npm run setup" in ${fileURLToPath(new URL("../../..", import.meta.url))}, which brings its own.`
      : `Install Node ${REQUIRED_MAJOR} (nodejs.org).`;
    process.stderr.write(
      `holdfast needs Node ${REQUIRED_MAJOR} or newer; this is Node ${process.versions.node}. ${get}\n`,
    );
    process.exit(1);
  }
  const args = [...flags, self, ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

async function start() {
  const missing = flags.filter((flag) => !process.execArgv.includes(flag));
  if (missing.length > 0) {
    const node = [process.execPath, ...process.execArgv, ...missing];
    const args = [...node, self, ...process.argv.slice(2)];
    if (typeof process.execve === "function" && process.platform !== "win32") {
      process.execve(process.execPath, args, process.env);
    }
    if (isClone)
      throw new Error("holdfast runs from source on Linux and macOS only; on Windows use WSL2.");
  }
  // Caches compiled code for the next start, which saves a clone 0.2 s of processor time and 40 MB.
  // The cache lies among the dependencies, because anyone who can write there can change the code
  // itself; in a read-only folder there is no cache. It must be enabled before the main modules
  // load.
  const cache = new URL("../../../node_modules/.cache/holdfast", import.meta.url);
  nodeModule.enableCompileCache(fileURLToPath(cache));
  await import(isClone ? "../src/main.ts" : "../dist/main.js");
}
