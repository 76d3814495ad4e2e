/** The processes the suites start, and the only ones they ever end. */

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

/** Parsing the same sources a thousand times would be most of the work. */
const environment = { ...process.env, NODE_COMPILE_CACHE: "" };

export function setCompileCache(folder: string): void {
  environment.NODE_COMPILE_CACHE = folder;
}

export interface SpawnOptions {
  /** Put before node: strace and its arguments. */
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
        // A patched source must not be taken from, or left in, the cache.
        ...(options.mutant === undefined
          ? {}
          : { MUTANT: options.mutant, NODE_COMPILE_CACHE: undefined }),
        ...options.env,
      },
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own: strace and the process it traces are ended together.
      detached: true,
    });
    children.add(this);
    const { stdin, stdout, stderr } = this.process;
    // A killed child's pipe is broken; its exit says so.
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

  /** Ends it and waits until it is gone. */
  async kill(): Promise<string> {
    this.signal("SIGKILL");
    return this.exited;
  }

  /** The exit, or "timeout" after killing it. */
  async end(ms: number): Promise<string> {
    const gone = await within(ms, this.exited);
    if (gone !== null) return gone;
    await this.kill();
    return "timeout";
  }

  /** Resolves with the first line that fits; fails when it ends or takes too long. */
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

  /** The host itself, also where strace is the one we spawned. */
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

/** For the way out on a signal, where nothing can be waited for. */
export function endAllNow(): void {
  for (const child of children) child.signal("SIGKILL");
}

/** State letter of /proc: "T" is a stopped process. */
export function stateOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "")[0] ?? null;
  } catch {
    return null;
  }
}
