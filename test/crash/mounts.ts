/** Mounts for the suites, unmounted in reverse order. Root only. */

import { spawnSync } from "node:child_process";

const mounted: string[] = [];

export function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: 60_000 });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr.trim()}`);
}

export function mount(options: readonly string[], target: string): void {
  run("mount", ...options, target);
  mounted.push(target);
}

/** Uses `-l` only when the mount is busy: a killed process may take a moment to release it. */
export function umount(target: string): void {
  const at = mounted.indexOf(target);
  if (at >= 0) mounted.splice(at, 1);
  if (spawnSync("umount", [target]).status !== 0) run("umount", "-l", target);
}

export function umountAll(): void {
  for (const target of mounted.toReversed()) {
    try {
      umount(target);
    } catch (error) {
      process.stderr.write(`crash: ${target} stays mounted: ${(error as Error).message}\n`);
    }
  }
}
