/** Commands the agent runs, each the leader of its own process group, so that all of it can be ended. */

import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";

const groups = new Set<number>();

/** For the end of the process: no command outlives it. */
export function killGroups(): void {
  for (const group of groups) killGroup(group);
}

export interface Running {
  readonly cwd: string;
  /** Ends the command, and all it has started, at once. */
  readonly signal: AbortSignal;
  /** Out and err as they come; no more is read before this resolves. */
  onOutput(text: string): Promise<void>;
}

/** Resolves with the exit code, or null when a signal ended it, after its last output. */
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
  child.once("error", (error) => output.destroy(error));
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  void closed.then(() => output.end());

  const group = child.pid;
  const kill = (): void => {
    if (group !== undefined && groups.has(group)) killGroup(group);
  };
  if (group !== undefined) groups.add(group);
  // Its number is no one's once it is reaped, and may soon be someone else's.
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
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
