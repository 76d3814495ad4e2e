/** A part of a cell in its own process, called over its IPC channel. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** `BENCH_CPU_PROF=servers/holdfast.ts` keeps a CPU profile of every such process. */
const profiles = fileURLToPath(new URL("../../.bench/profiles", import.meta.url));
const profiling = ["--cpu-prof", `--cpu-prof-dir=${profiles}`];

type Handlers = Readonly<Record<string, (input: never) => unknown>>;

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

interface Answered {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

export class Remote {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.child = child;
    child.on("message", ({ id, result, error }: Answered) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
    child.on("exit", (code, signal) => {
      for (const { reject } of this.#waiting.values()) {
        reject(new Error(`${child.spawnargs.at(-2)} ended with ${code ?? signal}`));
      }
      this.#waiting.clear();
    });
  }

  /** Starts a process; resolves when it is ready. */
  static async start(module: string, input: object = {}): Promise<Remote> {
    const file = new URL(`../${module}`, import.meta.url);
    const profile = process.env.BENCH_CPU_PROF === module ? profiling : [];
    const child = fork(file, [JSON.stringify(input)], {
      execArgv: ["--conditions=holdfast-source", "--expose-gc", ...profile],
      // A peer's stdout is ignored: printing it would cost CPU.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const remote = new Remote(child);
    await remote.call("ready");
    return remote;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  call<T = void>(name: string, input: unknown = {}): Promise<T> {
    const waiting = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#waiting.set(id, waiting);
    this.child.send({ id, name, input } satisfies Asked);
    return waiting.promise as Promise<T>;
  }

  async end(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    this.child.kill(signal);
    await exited;
  }
}

/** Runs in the child: answers calls until the parent is gone. */
export function answer(handlers: Handlers): void {
  process.on("message", ({ id, name, input }: Asked) => {
    respond(handlers, name, input).then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, error: String((error as Error).stack ?? error) }),
    );
  });
  process.on("disconnect", () => process.exit(0));
  process.on("SIGTERM", () => process.exit(0));
}

async function respond(handlers: Handlers, name: string, input: unknown): Promise<unknown> {
  if (name === "ready" && handlers.ready === undefined) return;
  const handler = handlers[name] as ((input: unknown) => unknown) | undefined;
  if (handler === undefined) throw new Error(`nobody here answers ${name}`);
  return await handler(input);
}

export function jobOf<T>(): T {
  return JSON.parse(process.argv[2] ?? "{}") as T;
}
