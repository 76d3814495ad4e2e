/**
 * Git in a workspace that nobody trusts. It gets a directory of ours in place of the repository's: our
 * configuration, a copy of the index, and the way to the objects. Filters, hooks, drivers, monitors and
 * helpers that the repository configures are not switched off but never read; and whatever git
 * writes, it writes to us.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostError } from "@holdfast/protocol";
import { readInside } from "./inside.ts";
import { findRepository, type Repository, unreadable } from "./repository.ts";

/** How a workspace is looked at. */
export interface Look {
  /** The workspace, with no link in it. */
  readonly root: string;
  /** Where the directory is made that git gets. */
  readonly scratch: string;
  /** The last folder upward that may hold the repository; null where only the root may. */
  readonly upTo: string | null;
  /** Where git and the shell are looked for; the system's own folders unless told otherwise. */
  readonly path?: string;
  /** Nobody waits for it any more. */
  readonly gone?: AbortSignal;
}

export interface Git {
  readonly repository: Repository;
  run(command: readonly string[], limits: Limits): Promise<Output>;
}

export interface Limits {
  readonly ms: number;
  readonly bytes: number;
  readonly input?: string;
}

export interface Output {
  readonly stdout: Buffer;
  readonly code: number | null;
  /** It had more to say than was wanted. */
  readonly isCut: boolean;
}

/** Null without a repository. */
export async function withGit<T>(look: Look, use: (git: Git) => Promise<T>): Promise<T | null> {
  const repository = await findRepository(look.root, look.upTo);
  if (repository === null) return null;
  const dir = await mkdtemp(join(look.scratch, "git-"));
  try {
    await lay(repository, dir);
    const env = envOf(repository.top, dir, look.path ?? SYSTEM);
    return await use({ repository, run: (command, limits) => run(command, limits, look, env) });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The index of half a million files. */
const LARGEST_INDEX = 64 * 1024 * 1024;
const LARGEST_EXCLUDE = 1024 * 1024;

async function lay(repository: Repository, dir: string): Promise<void> {
  const { bounds, own, shared, head, isSha256 } = repository;
  await mkdir(join(dir, "objects/info"), { recursive: true });
  await mkdir(join(dir, "refs"));
  await mkdir(join(dir, "info"));
  await writeFile(join(dir, "HEAD"), `${head ?? "ref: refs/heads/none"}\n`);
  await writeFile(join(dir, "config"), configOf(isSha256));
  await writeFile(join(dir, "objects/info/alternates"), `${join(bounds, shared, "objects")}\n`);
  await copyIndex(bounds, join(own, "index"), join(dir, "index"));
  const exclude = await readInside(bounds, join(shared, "info/exclude"), LARGEST_EXCLUDE);
  if (exclude !== null) await writeFile(join(dir, "info/exclude"), exclude);
}

/**
 * With its time, to the second before: git takes a file for unchanged by its times, but only if the
 * index is younger. Asked before it is read, so that it is never too young.
 */
async function copyIndex(bounds: string, from: string, to: string): Promise<void> {
  const { mtimeMs } = await lstat(join(bounds, from)).catch(() => ({ mtimeMs: 0 }));
  const index = await readInside(bounds, from, LARGEST_INDEX);
  if (index === null) return;
  await writeFile(to, index);
  const second = Math.floor(mtimeMs / 1000);
  await utimes(to, second, second);
}

/** From this size on git takes a file for binary without looking. */
export const BIG = 8 * 1024 * 1024;

function configOf(isSha256: boolean): string {
  return `[core]
	repositoryFormatVersion = ${isSha256 ? 1 : 0}
	bare = false
	hooksPath = /dev/null
	fsmonitor = false
	attributesFile = /dev/null
	excludesFile = /dev/null
	quotePath = false
	bigFileThreshold = ${BIG}
	preloadIndex = false
	packedGitWindowSize = 32m
	packedGitLimit = 256m
[diff]
	ignoreSubmodules = all
	renameLimit = 400
[protocol]
	allow = never
${isSha256 ? "[extensions]\n\tobjectFormat = sha256\n" : ""}`;
}

const SYSTEM = "/usr/local/bin:/usr/bin:/bin";

function envOf(top: string, dir: string, path: string): Record<string, string> {
  return {
    ...{ PATH: path, HOME: dir, XDG_CONFIG_HOME: dir, LC_ALL: "C" },
    ...{ GIT_DIR: dir, GIT_WORK_TREE: top },
    ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" },
    ...{ GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_NO_REPLACE_OBJECTS: "1" },
    // Each thread's own arena would count as memory that it does not use.
    ...{ GIT_ALLOC_LIMIT: "512m", MALLOC_ARENA_MAX: "1" },
    ...{ GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", GIT_LITERAL_PATHSPECS: "1" },
  };
}

/** Exit codes by which a shell says that it could not start a program. */
const SHELL_REASONS: Readonly<Record<number, string>> = { 126: "EACCES", 127: "ENOENT" };
/** Limits git to 1.5 GB: a repository of a few MB can make it take all memory. Not every system has this limit. */
const WITH_LESS_MEMORY = 'ulimit -v 1572864 2>/dev/null; exec "$@"';

/** In a process group of its own: with the one that is late goes whatever it started. */
function run(
  [program = "", ...args]: readonly string[],
  { ms, bytes, input = "" }: Limits,
  { root: cwd, gone }: Look,
  env: Record<string, string>,
): Promise<Output> {
  return new Promise((resolve, reject) => {
    gone?.throwIfAborted();
    const bounded = ["-c", WITH_LESS_MEMORY, "sh", program, ...args];
    const child = spawn("/bin/sh", bounded, {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    let [size, isLate] = [0, false];
    const end = () => child.pid !== undefined && killGroup(child.pid);
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, ms);
    gone?.addEventListener("abort", end);
    const over = () => {
      clearTimeout(timer);
      gone?.removeEventListener("abort", end);
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      over();
      reject(unstarted(program, cwd, error));
    });
    // There are no pipes where the system had none left.
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > bytes) end();
    });
    // It need not read what it is given.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    child.on("close", (code) => {
      over();
      if (gone?.aborted) return reject(gone.reason);
      const unstartable = program === "/bin/sh" ? undefined : SHELL_REASONS[code ?? 0];
      if (unstartable !== undefined) return reject(unstarted(program, cwd, { code: unstartable }));
      if (isLate) return reject(unreadable(`git took more than ${ms / 1000} s`));
      resolve({ stdout: Buffer.concat(chunks).subarray(0, bytes), code, isCut: size > bytes });
    });
  });
}

/** A folder that is gone is told with the same code as a program that is. */
function unstarted(
  program: string,
  cwd: string,
  { code }: Pick<NodeJS.ErrnoException, "code">,
): HostError {
  const isMissing = code === "ENOENT" && existsSync(cwd);
  return unreadable(isMissing ? `${program} is not installed` : `git did not start (${code})`);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
