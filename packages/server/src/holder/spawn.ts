/** Starts a holder: from here on it lives by itself, whatever becomes of this process. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../node-flags.ts";
import { holderEnvironment } from "./config.ts";
import { codeOf, holderFiles, syncDirectory } from "./files.ts";
import { type LaunchFile, writeLaunchFile } from "./launch-file.ts";
import { answersHello } from "./probe.ts";

export interface SpawnOptions extends LaunchFile {
  /** The directory of all holders. */
  readonly root: string;
  /** How long it may take until it answers. */
  readonly timeoutMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Node starts in 50 ms; a machine that is busy booting takes its time. */
const START_LIMIT = 10_000;
const LOOK_AGAIN = 5;

/** Resolves when it answers on its socket; rejects with what it had to say, and may then still come. */
export async function spawnHolder(options: SpawnOptions): Promise<void> {
  const { root, timeoutMs = START_LIMIT, environment = holderEnvironment(), ...launch } = options;
  const dir = join(root, launch.holderId);
  makeHolderDirectory(dir);
  writeLaunchFile(dir, launch);
  const child = start(dir, { ...environment, ...compileCache(root) });
  const exit = new Promise<"exited">((resolve) => {
    child.once("exit", () => resolve("exited"));
    child.once("error", () => resolve("exited"));
  });
  const end = performance.now() + timeoutMs;
  while (!(await answersHello(dir, end - performance.now()))) {
    const isOver = (await Promise.race([exit, delay(LOOK_AGAIN)])) === "exited";
    if (isOver || performance.now() > end) {
      throw new Error(`The holder in ${dir} did not start. ${lastWords(dir)}`);
    }
  }
}

/** Holder ids are used once: a directory that is there already belongs to another one. */
function makeHolderDirectory(dir: string): void {
  mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
  mkdirSync(dir, { mode: 0o700 });
  syncDirectory(dirname(dir));
}

function start(dir: string, env: Record<string, string>): ChildProcess {
  const log = openSync(holderFiles(dir).log, "a", 0o600);
  try {
    const child = spawn(process.execPath, [smallHeap, ...nodeFlags(), mainFile(), dir], {
      cwd: dir,
      env,
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** After a flood a small young generation leaves 76 MB where the usual one leaves 120. */
const smallHeap = "--max-semi-space-size=1";

const isSource = import.meta.url.endsWith(".ts");

function mainFile(): string {
  return fileURLToPath(new URL(isSource ? "./main.ts" : "./main.js", import.meta.url));
}

/** Stripping types costs a holder 12 MB and 30 ms, so that is done once for all of them. */
function compileCache(root: string): Record<string, string> {
  if (!isSource) return {};
  const dir = join(root, ".compiled");
  // Node would make it before a holder can say for whom.
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return { NODE_COMPILE_CACHE: dir };
}

function lastWords(dir: string): string {
  try {
    return readFileSync(holderFiles(dir).log, "utf8").trim().slice(-2000);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "It said nothing." : String(error);
  }
}
