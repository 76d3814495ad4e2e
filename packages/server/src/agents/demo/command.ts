/** Runs commands, each as leader of its own process group, so that the whole group can be ended. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { PassThrough } from "node:stream";

const groups = new Set<number>();

export function killGroups(): void {
  for (const group of groups) killGroup(group);
}

export interface Running {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Receives stdout and stderr as they arrive; reading pauses until this resolves. */
  onOutput(text: string): Promise<void>;
}

/** Runs a command; resolves after its last output with the exit code, null for a signal. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, signal, onOutput }: Running,
): Promise<number | null> {
  signal.throwIfAborted();
  const child = spawn(command, args, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output = new PassThrough({ encoding: "utf8" });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  child.once("error", (error) => {
    const isGone = !existsSync(cwd);
    output.destroy(isGone ? new Error(`The folder ${cwd} does not exist any more.`) : error);
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  void closed.then(() => output.end());

  const group = child.pid;
  const kill = (): void => {
    if (group !== undefined && groups.has(group)) killGroup(group);
  };
  if (group !== undefined) groups.add(group);
  // After the exit the system may reuse the group's number.
  child.once("exit", () => group !== undefined && groups.delete(group));
  signal.addEventListener("abort", kill, { once: true });
  try {
    for await (const text of output) await onOutput(text);
    return await closed;
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    // The group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
