/**
 * Faults, and checks whether this machine can inject them. A suite whose fault cannot be injected
 * is skipped, never passed.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** System calls that change a disk; both syncs, because SQLite may use either. */
export const WRITES = ["pwrite64", "write", "ftruncate", "rename", "unlink", "link"] as const;
export const SYNCS = ["fsync", "fdatasync"] as const;
export type Syscall = (typeof WRITES)[number] | (typeof SYNCS)[number];

/** Arguments for strace. Injection needs traced calls, and each thread counts its own calls. */
export function strace(injections: readonly string[], calls: readonly string[], log = "/dev/null") {
  // Under a seccomp filter strace loses injected signals, so these use the slower way.
  const fast = injections.some((injection) => injection.includes("signal="))
    ? []
    : ["--seccomp-bpf"];
  return [
    ...["strace", ...fast, "-f", "-qq", "-o", log],
    ...["-e", `trace=${calls.join()}`, "-e", "signal=none"],
    ...injections.flatMap((injection) => ["-e", `inject=${injection}`]),
  ];
}

/** The most calls of each kind that one thread made, from a log of strace. */
export function mostPerThread(log: string): Map<Syscall, number> {
  const counts = new Map<string, number>();
  const most = new Map<Syscall, number>();
  for (const [, thread, call] of readFileSync(log, "utf8").matchAll(/^(\d+) +(\w+)\(/gm)) {
    const count = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, count);
    most.set(call as Syscall, Math.max(most.get(call as Syscall) ?? 0, count));
  }
  return most;
}

/** Kills the process in place of a thread's n-th call. */
export function killAt(call: Syscall, n: number): string[] {
  return strace([`${call}:error=EIO:signal=SIGKILL:when=${n}`], [call]);
}

/** Slow syncs widen the window between decided and durable, so that races can hit it. */
export function slowSyncs(ms: number): { under?: string[] } {
  if (whyNoStrace() !== null) return {};
  return { under: strace([`${SYNCS.join()}:delay_exit=${ms * 1000}`], SYNCS) };
}

/** One pool thread, so that "the n-th call" means the same call each time. */
export const oneThread = { UV_THREADPOOL_SIZE: "1" } as const;

const isRoot = process.getuid?.() === 0;

/** The reason why strace cannot be used here; null when it can. It is tried, not guessed. */
export function whyNoStrace(): string | null {
  const probe = spawnSync("strace", ["--seccomp-bpf", "-f", "-qq", "-o", "/dev/null", "true"]);
  if (probe.error !== undefined) return "strace is not installed";
  return probe.status === 0 ? null : "strace may not trace here";
}

export function whyNoMount(): string | null {
  if (!isRoot) return "mounting needs root";
  for (const command of ["mount", "umount", "mkfs.ext4"]) {
    if (spawnSync(command, ["--version"]).error !== undefined) return `${command} is not installed`;
  }
  return null;
}

export function whyNoLoop(): string | null {
  const why = whyNoMount();
  if (why !== null) return why;
  return existsSync("/dev/loop-control") ? null : "there are no loop devices";
}

const fakeLibraries = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/faketime/libfaketimeMT.so.1",
];

export function whyNoFaketime(): string | null {
  return fakeLibraries.some(existsSync) ? null : "libfaketime is not installed";
}

/** Controls the wall clock of a process through a file; the monotonic clock stays true. */
export function fakeClock(path: string) {
  const step = (seconds: number) => writeFileSync(path, `${seconds < 0 ? "" : "+"}${seconds}s\n`);
  step(0);
  return {
    step,
    /** Removes the shared memory that a killed process left. */
    forget(pid: number | undefined) {
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) {
        rmSync(`/dev/shm/${name}`, { force: true });
      }
    },
    env: {
      LD_PRELOAD: fakeLibraries.find(existsSync) ?? "",
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  };
}
