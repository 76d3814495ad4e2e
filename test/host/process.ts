/** Real host processes for whole-system tests: started by their bin, ended by their pid. */

import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export const bin = fileURLToPath(new URL("../../packages/cli/bin/holdfast.mjs", import.meta.url));

/**
 * The command line of the CLI's process. With the flags that the bin needs, it does not start Node a
 * second time.
 */
export const cli = ["--max-semi-space-size=8", "--conditions=holdfast-source", bin];

export interface Ready {
  readonly ready: true;
  readonly url: string;
  readonly token: string;
  readonly bootId: string;
}

export interface HostProcess {
  readonly child: ChildProcess;
  readonly ready: Ready;
  /** Ends the host; resolves with its exit code, or the signal that killed it. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | string>;
}

export interface StartOptions {
  /** A program to run instead of the CLI, with the same flags and the same ready line. */
  readonly entry?: string;
  /** Flags for Node itself. */
  readonly node?: readonly string[];
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startHost(data: string, options: StartOptions = {}): Promise<HostProcess> {
  const { entry, node = [], port = 0, env = {} } = options;
  const program = entry === undefined ? cli : [entry];
  const args = [...node, ...program, "serve", "--json", "--port", String(port), "--data", data];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the host ended with ${code}`))),
  ]);
  return {
    child,
    ready: readyLine(String(line)),
    async end(signal) {
      const exited = once(child, "exit");
      child.kill(signal);
      const [code, by] = await exited;
      return (code ?? by) as number | string;
    },
  };
}

function readyLine(line: string): Ready {
  const said = JSON.parse(line) as Ready | { error: { message: string } };
  if ("error" in said) throw new Error(`the host said no: ${said.error.message}`);
  return said;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command to its end; one that does not end in time is killed and has no exit code. */
export function holdfast(...args: string[]): Promise<Ended> {
  return ended(
    spawn(process.execPath, [...cli, ...args], { stdio: ["ignore", "pipe", "pipe"], ...limit }),
  );
}

/** Runs a command line in a shell, for redirections and pipes: `holdfast help | true`. */
export function inShell(line: string): Promise<Ended> {
  const script = `set -o pipefail; holdfast() { "${process.execPath}" "${bin}" "$@"; }; ${line}`;
  return ended(spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "pipe"], ...limit }));
}

const limit = { timeout: 28_000, killSignal: "SIGKILL" } as const;

async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const [code] = await once(child, "close");
  return { code: code as number, stdout, stderr };
}
