/** Starts a holder, which from then on runs independently of this process. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { syncDirectory } from "../../base/sync.ts";
import { codeOf, holderFiles } from "../directory/files.ts";
import { type LaunchFile, writeLaunchFile } from "../directory/launch-file.ts";
import { holderArguments, holderVariables } from "./command.ts";
import { answersHello } from "./probe.ts";
import type { SpareHolder } from "./spare-holder.ts";

export interface SpawnOptions extends LaunchFile {
  readonly root: string;
  readonly timeoutMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly spare?: SpareHolder | undefined;
}

/** Node starts in 50 ms; a machine that is booting takes longer. */
const START_LIMIT = 10_000;
const LOOK_AGAIN = 2;

/** Resolves when the holder answers; rejects with its output, and it may start even later. */
export async function spawnHolder(options: SpawnOptions): Promise<void> {
  const { root, timeoutMs = START_LIMIT, environment, spare, ...launch } = options;
  const dir = join(root, launch.holderId);
  makeHolderDirectory(dir);
  writeLaunchFile(dir, launch);
  const end = performance.now() + timeoutMs;
  const ready = spare?.take(dir) ?? null;
  // The spare may be gone by now: the first process to claim the directory is the holder.
  if (ready !== null && (await answers(dir, ready, end))) return;
  if (await answers(dir, start(dir, holderVariables(environment)), end)) return;
  throw new Error(`The holder in ${dir} did not start. ${lastWords(dir)}`);
}

/** False when the process ended or the time was over first. */
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

/** Holder ids are used once: an existing directory belongs to another holder. */
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
