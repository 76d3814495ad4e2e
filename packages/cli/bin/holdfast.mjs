#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old Node gets a sentence and not a stack.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
// Whole, because an old Node would fail over a name that it does not have.
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const REQUIRED_MAJOR = 24;
const major = Number(process.versions.node.split(".")[0]);
const self = fileURLToPath(import.meta.url);
const isClone = existsSync(new URL("../src/main.ts", import.meta.url));
const condition = "--conditions=holdfast-source";

if (major < REQUIRED_MAJOR) await useOwnNode();
else await start();

/** A clone has a Node of its own beside its dependencies, whatever Node started this. */
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
  const args = [condition, self, ...process.argv.slice(2)];
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
  if (isClone && !process.execArgv.includes(condition)) {
    // A clone runs its sources; the condition cannot be set from inside, so the process replaces itself.
    const args = [process.execPath, condition, self, ...process.argv.slice(2)];
    if (typeof process.execve === "function" && process.platform !== "win32") {
      process.execve(process.execPath, args, process.env);
    }
    throw new Error("holdfast runs from source on Linux and macOS only; on Windows use WSL2.");
  }
  // What is compiled is kept for the next start, which saves a clone 0.2 s of processor time and 40 MB.
  // It lies with the dependencies, because whoever can write there can change the code itself; where
  // we cannot write, nothing is kept. It must be said before anything that counts is loaded.
  const cache = new URL("../../../node_modules/.cache/holdfast", import.meta.url);
  nodeModule.enableCompileCache(fileURLToPath(cache));
  await import(isClone ? "../src/main.ts" : "../dist/main.js");
}
