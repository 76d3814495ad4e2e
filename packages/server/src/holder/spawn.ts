/** Starts a holder: from here on it lives by itself, whatever becomes of this process. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { holderArguments, holderVariables } from "./command.ts";
import { codeOf, holderFiles, syncDirectory } from "./files.ts";
import { type LaunchFile, writeLaunchFile } from "./launch-file.ts";
import { answersHello } from "./probe.ts";
import type { SpareHolder } from "./spare.ts";

export interface SpawnOptions extends LaunchFile {
  /** The directory of all holders. */
  readonly root: string;
  /** How long it may take until it answers. */
  readonly timeoutMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** One that may be waiting for a launch. */
  readonly spare?: SpareHolder | undefined;
}

/** Node starts in 50 ms; a machine that is busy booting takes its time. */
const START_LIMIT = 10_000;
const LOOK_AGAIN = 2;

/** Resolves when it answers on its socket; rejects with what it had to say, and may then still come. */
export async function spawnHolder(options: SpawnOptions): Promise<void> {
  const { root, timeoutMs = START_LIMIT, environment, spare, ...launch } = options;
  const dir = join(root, launch.holderId);
  makeHolderDirectory(dir);
  writeLaunchFile(dir, launch);
  const end = performance.now() + timeoutMs;
  const ready = spare?.take(dir) ?? null;
  // A spare one may be gone by now: whichever claims the directory first is the holder.
  if (ready !== null && (await answers(dir, ready, end))) return;
  if (await answers(dir, start(dir, holderVariables(root, environment)), end)) return;
  throw new Error(`The holder in ${dir} did not start. ${lastWords(dir)}`);
}

/** False when the process ended or the time is over first. */
async function answers(dir: string, child: ChildProcess, end: number): Promise<boolean> {
  const exit = new Promise<"exited">((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve("exited");
    child.once("exit", () => resolve("exited"));
    child.once("error", () => resolve("exited"));
  });
  while (!(await answersHello(dir, end - performance.now()))) {
    const isOver = (await Promise.race([exit, delay(LOOK_AGAIN)])) === "exited";
    if (isOver || performance.now() > end) return false;
  }
  return true;
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
    const child = spawn(process.execPath, holderArguments(dir), {
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

function lastWords(dir: string): string {
  try {
    return readFileSync(holderFiles(dir).log, "utf8").trim().slice(-2000);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "It said nothing." : String(error);
  }
}
