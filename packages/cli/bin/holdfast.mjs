#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old Node gets a sentence and not a stack.
import { existsSync } from "node:fs";
// Whole, because an old Node would fail over a name that it does not have.
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const REQUIRED_MAJOR = 24;
const major = Number(process.versions.node.split(".")[0]);

if (major < REQUIRED_MAJOR) {
  process.stderr.write(
    `holdfast needs Node ${REQUIRED_MAJOR} or newer; this is Node ${process.versions.node}. ` +
      `Install Node ${REQUIRED_MAJOR} (nodejs.org), or in a clone run \`npm start\`, which brings its own.\n`,
  );
  process.exit(1);
}

const self = fileURLToPath(import.meta.url);
const isClone = existsSync(new URL("../src/main.ts", import.meta.url));
const condition = "--conditions=holdfast-source";
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
