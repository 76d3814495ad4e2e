#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old Node gets a sentence and not a stack.
import { existsSync } from "node:fs";
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

const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
if (existsSync(source)) {
  // A clone runs its sources; the condition cannot be set from inside, so the process replaces itself.
  const args = [process.execPath, "--conditions=source", source, ...process.argv.slice(2)];
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(process.execPath, args, process.env);
  }
  throw new Error("holdfast runs from source on Linux and macOS only; on Windows use WSL2.");
}
await import("../dist/main.js");
