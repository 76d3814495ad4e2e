/** The CLI as people and scripts use it: a process, optionally inside a terminal. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cli } from "../host/process.ts";

export const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

export interface Running {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  /** Resolves once the output contains this text. */
  says(text: string, where?: "stdout" | "stderr"): Promise<void>;
  ended(): Promise<number>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

export function start(args: readonly string[], { env, input, cwd }: RunOptions = {}): Running {
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(process.execPath, [...cli, ...args], {
    stdio: [stdin, "pipe", "pipe"],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  child.stdin?.end(input);
  return follow(child);
}

/** Starts the CLI in a terminal; `child.stdin` takes keys, and all output comes out as stdout. */
export function startInTerminal(args: readonly string[]): Running {
  const line = [process.execPath, ...cli, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qefc", line, "/dev/null"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, TERM: "xterm" },
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  return follow(child);
}

function follow(child: ChildProcess): Running {
  const waiting = new Set<() => void>();
  const close = once(child, "close");
  const running: Running = {
    child,
    stdout: "",
    stderr: "",
    async says(text, where = "stderr") {
      while (!running[where].includes(text)) {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`it ended without saying "${text}": ${running.stdout}${running.stderr}`);
        }
        await Promise.race([new Promise<void>((resolve) => waiting.add(resolve)), close]);
      }
    },
    async ended() {
      await close;
      return child.exitCode ?? -1;
    },
  };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      running[name] += chunk;
      for (const call of waiting) call();
      waiting.clear();
    });
  }
  return running;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const running = start(args, options);
  const code = await running.ended();
  return { code, stdout: running.stdout, stderr: running.stderr };
}

/** Parses output with one JSON value per line. */
export function lines<T = Record<string, unknown>>(text: string): T[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
}
