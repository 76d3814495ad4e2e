/** The processes that the suites start. The suites end only these. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutateFile } from "../long/mutants.ts";
import type { Job } from "./driver.ts";
import { type Entry, readEntries } from "./records.ts";
import { onLines } from "./socket.ts";

const children = new Set<Child>();
const here = fileURLToPath(new URL(".", import.meta.url));
export const file = (name: string) => join(here, name);

/** Environment with a compile cache: compiling the same sources for each child would be slow. */
const environment = { ...process.env, NODE_COMPILE_CACHE: "" };

export function setCompileCache(folder: string): void {
  environment.NODE_COMPILE_CACHE = folder;
}

export interface SpawnOptions {
  /** Command and arguments before node, such as strace. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly mutant?: string;
}

export class Child {
  readonly process: ChildProcess;
  readonly exited: Promise<string>;
  readonly words: string[] = [];
  stderr = "";
  #heard = new Set<() => void>();

  constructor(script: string, args: readonly string[], options: SpawnOptions = {}) {
    const node = [process.execPath, "--conditions=holdfast-source"];
    if (options.mutant !== undefined) node.push("--import", mutateFile);
    const [command = "", ...rest] = [...(options.under ?? []), ...node, file(script), ...args];
    this.process = spawn(command, rest, {
      env: {
        ...environment,
        // A patched source must neither use nor fill the cache.
        ...(options.mutant === undefined
          ? {}
          : { MUTANT: options.mutant, NODE_COMPILE_CACHE: undefined }),
        ...options.env,
      },
      stdio: ["pipe", "pipe", "pipe"],
      // Its own process group, so that strace and the traced process end together.
      detached: true,
    });
    children.add(this);
    const { stdin, stdout, stderr } = this.process;
    // Writing to a killed child fails; its exit is reported elsewhere.
    stdin?.on("error", () => undefined);
    if (stdout) onLines(stdout, (line) => this.#hear(line));
    stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.stderr = (this.stderr + chunk).slice(-4000);
    });
    this.exited = new Promise((resolve) => {
      this.process.on("error", (error) => resolve(error.message));
      this.process.on("close", (code, signal) => {
        children.delete(this);
        resolve(signal ?? String(code));
        for (const call of this.#heard) call();
      });
    });
  }

  get isRunning(): boolean {
    return children.has(this);
  }

  send(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    const { pid } = this.process;
    if (pid === undefined || !this.isRunning) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  /** Kills the process and waits for its exit. */
  async kill(): Promise<string> {
    this.signal("SIGKILL");
    return this.exited;
  }

  /** Waits for the exit; kills the process after `ms` and returns "timeout". */
  async end(ms: number): Promise<string> {
    const gone = await within(ms, this.exited);
    if (gone !== null) return gone;
    await this.kill();
    return "timeout";
  }

  /** Resolves with the first matching line; fails when the process exits or `ms` have passed. */
  async until(fits: (line: string) => boolean, ms = 30_000): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let next = 0;
    const look = () => {
      for (; next < this.words.length; next++) {
        const word = this.words[next] as string;
        if (fits(word)) return resolve(word);
      }
      if (!this.isRunning) reject(new Error(`it ended: ${this.stderr.trim().slice(-500)}`));
    };
    this.#heard.add(look);
    const timer = setTimeout(() => reject(new Error(`nothing in ${ms} ms: ${this.stderr}`)), ms);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#heard.delete(look);
    }
  }

  word(word: string, ms?: number): Promise<string> {
    return this.until((line) => line === word, ms);
  }

  #hear(line: string): void {
    this.words.push(line);
    for (const call of this.#heard) call();
  }
}

/** A driven host with its record file. */
export class Driven extends Child {
  readonly job: Job;
  readonly #isTraced: boolean;

  constructor(job: Job, options: SpawnOptions = {}) {
    if (!existsSync(job.records)) writeFileSync(job.records, "");
    super("driver.ts", [JSON.stringify(job)], options);
    this.job = job;
    this.#isTraced = options.under !== undefined;
  }

  entries(): Entry[] {
    return readEntries(this.job.records);
  }

  /** Pid of the host itself, also when it runs under strace. */
  get hostPid(): number | null {
    if (!this.#isTraced) return this.process.pid ?? null;
    const boot = this.entries().findLast((entry) => entry.t === "boot");
    return boot?.t === "boot" ? boot.pid : null;
  }
}

export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function endAll(): Promise<void> {
  await Promise.all([...children].map((child) => child.kill()));
}

/** Kills all children without waiting, for exits on a signal. */
export function endAllNow(): void {
  for (const child of children) child.signal("SIGKILL");
}

/** State letter of a process from /proc; "T" is stopped. */
export function stateOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "")[0] ?? null;
  } catch {
    return null;
  }
}
