/**
 * The `claude` processes. They stay in the bridge's own process group and keep its environment, so
 * that whoever ends the bridge finds them: by default the SDK would let one go on after a kill -9 of
 * its parent, and it would write to the transcript that the next one reads.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { SpawnWish } from "./sdk.ts";

/** How much of its stderr is told when it fails. */
const STDERR_TAIL = 4_000;
/** What it said last is read to the end, but not for ever: whoever inherited it may keep it open. */
const CLOSE_LIMIT_MS = 500;

export class ClaudeProcesses {
  readonly #running = new Map<ChildProcess, Promise<void>>();

  spawn({ command, args, cwd, env, signal }: SpawnWish): ClaudeProcess {
    const process = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...env },
      signal,
      stdio: ["pipe", "pipe", "pipe"],
      detached: false,
    });
    const child = new ClaudeProcess(process);
    this.#running.set(process, child.gone);
    void child.gone.then(() => this.#running.delete(process));
    return child;
  }

  /** Asks them: on SIGTERM Claude still writes its transcript. */
  end(): void {
    for (const process of this.#running.keys()) process.kill("SIGTERM");
  }

  kill(): void {
    for (const process of this.#running.keys()) process.kill("SIGKILL");
  }

  async gone(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}

export class ClaudeProcess {
  readonly process: ChildProcess;
  /** Resolves when it can write nothing any more. */
  readonly gone: Promise<void>;
  #stderr = "";

  constructor(process: ChildProcess) {
    this.process = process;
    this.gone = new Promise((resolve) => {
      process.once("close", () => resolve());
      process.once("exit", () => setTimeout(resolve, CLOSE_LIMIT_MS).unref());
      // One that could not be started never closes; the SDK hears of the error itself.
      process.once("error", () => process.pid === undefined && resolve());
    });
    process.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_TAIL);
    });
  }

  /** Asked to leave already, it has this long. */
  async goneWithin(ms: number): Promise<void> {
    const late = setTimeout(() => this.process.kill("SIGKILL"), ms);
    await this.gone;
    clearTimeout(late);
  }

  /** The last it said to people. */
  get stderr(): string {
    return this.#stderr.trim();
  }
}
