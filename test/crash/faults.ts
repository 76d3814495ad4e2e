/** Faults, and whether this machine can make them. What cannot be made is skipped, never passed. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Everything that changes what is on a disk; both syncs, because SQLite may call either. */
export const WRITES = ["pwrite64", "write", "ftruncate", "rename", "unlink", "link"] as const;
export const SYNCS = ["fsync", "fdatasync"] as const;
export type Syscall = (typeof WRITES)[number] | (typeof SYNCS)[number];

/** Injection only works on calls that are traced, and each thread counts for itself. */
export function strace(injections: readonly string[], calls: readonly string[], log = "/dev/null") {
  // Under a seccomp filter strace loses injected signals: there the slower way is the only one.
  const fast = injections.some((injection) => injection.includes("signal="))
    ? []
    : ["--seccomp-bpf"];
  return [
    ...["strace", ...fast, "-f", "-qq", "-o", log],
    ...["-e", `trace=${calls.join()}`, "-e", "signal=none"],
    ...injections.flatMap((injection) => ["-e", `inject=${injection}`]),
  ];
}

/** From a log of strace: the most calls of each kind that one thread made. */
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

/** The n-th such call of a thread is not executed: the process dies in its place. */
export function killAt(call: Syscall, n: number): string[] {
  return strace([`${call}:error=EIO:signal=SIGKILL:when=${n}`], [call]);
}

/** A disk with slow syncs keeps the time between decided and durable open long enough to race in. */
export function slowSyncs(ms: number): { under?: string[] } {
  if (whyNoStrace() !== null) return {};
  return { under: strace([`${SYNCS.join()}:delay_exit=${ms * 1000}`], SYNCS) };
}

/** One pool thread, so that "the n-th call" means the same call each time. */
export const oneThread = { UV_THREADPOOL_SIZE: "1" } as const;

const isRoot = process.getuid?.() === 0;

/** Why a suite cannot run here; null when it can. Tried, not guessed. */
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

/** The wall clock of a running process as one file's content; the monotonic clock stays true. */
export function fakeClock(path: string) {
  const step = (seconds: number) => writeFileSync(path, `${seconds < 0 ? "" : "+"}${seconds}s\n`);
  step(0);
  return {
    step,
    /** A killed process cannot take its shared memory with it. */
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
