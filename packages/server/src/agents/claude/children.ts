/**
 * The `claude` processes. They stay in the bridge's process group and keep its environment, so that
 * a holder that ends the bridge finds them too. By default the SDK lets one continue after a kill -9 of its
 * parent, and it would write to the transcript that the next process reads.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { SpawnWish } from "./sdk.ts";

const STDERR_TAIL = 4_000;
/** Time to read the last output: a process that inherited the pipe may keep it open. */
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

  /** Sends SIGTERM, on which Claude still writes its transcript. */
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
  /** Resolves when the process can write no more output. */
  readonly gone: Promise<void>;
  #stderr = "";

  constructor(process: ChildProcess) {
    this.process = process;
    this.gone = new Promise((resolve) => {
      process.once("close", () => resolve());
      process.once("exit", () => setTimeout(resolve, CLOSE_LIMIT_MS).unref());
      // A process that failed to start never closes; the SDK receives the error itself.
      process.once("error", () => process.pid === undefined && resolve());
    });
    process.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_TAIL);
    });
  }

  /** Waits for a process that was already asked to exit, and kills it after `ms`. */
  async goneWithin(ms: number): Promise<void> {
    const late = setTimeout(() => this.process.kill("SIGKILL"), ms);
    await this.gone;
    clearTimeout(late);
  }

  get stderr(): string {
    return this.#stderr.trim();
  }
}
