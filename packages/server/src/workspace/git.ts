/**
 * Runs git in an untrusted workspace. Git gets a directory of ours in place of the repository's:
 * our configuration, a copy of the index, and the path to the objects. So it never reads the
 * filters, hooks, drivers, monitors and helpers that the repository configures, and it writes only
 * to our directory.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostError } from "@holdfast/protocol";
import { readInside } from "./inside.ts";
import { findRepository, type Repository, unreadableRepository } from "./repository.ts";

export interface Look {
  /** The workspace's real path, without links. */
  readonly root: string;
  /** The directory in which git's temporary directory is created. */
  readonly scratch: string;
  /** The highest folder that may hold the repository; null when only the root may. */
  readonly upTo: string | null;
  /** PATH for git and the shell; the system's own folders by default. */
  readonly path?: string;
  /** Aborted when the client has disconnected. */
  readonly gone?: AbortSignal;
}

export interface Git {
  readonly repository: Repository;
  run(command: readonly string[], limits: GitLimits): Promise<Output>;
}

export interface GitLimits {
  readonly ms: number;
  readonly bytes: number;
  readonly input?: string;
}

export interface Output {
  readonly stdout: Buffer;
  readonly code: number | null;
  /** The output exceeded its limit and was cut. */
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

/** About the index of half a million files. */
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
 * Keeps the file's time, rounded down to a second: git takes a file for unchanged by its times, but
 * only if the index is younger. The time is read before the content, so that it is never too young.
 */
async function copyIndex(bounds: string, from: string, to: string): Promise<void> {
  const { mtimeMs } = await lstat(join(bounds, from)).catch(() => ({ mtimeMs: 0 }));
  const index = await readInside(bounds, from, LARGEST_INDEX);
  if (index === null) return;
  await writeFile(to, index);
  const second = Math.floor(mtimeMs / 1000);
  await utimes(to, second, second);
}

/** Git treats files from this size on as binary without reading them. */
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
    PATH: path,
    HOME: dir,
    XDG_CONFIG_HOME: dir,
    LC_ALL: "C",
    GIT_DIR: dir,
    GIT_WORK_TREE: top,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    // An arena for each thread would count as memory that git does not use.
    GIT_ALLOC_LIMIT: "512m",
    MALLOC_ARENA_MAX: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** Exit codes by which a shell reports that it could not start a program. */
const SHELL_REASONS: Readonly<Record<number, string>> = { 126: "EACCES", 127: "ENOENT" };
/** Limits git to 1.5 GB, as far as the system can: a small repository may exhaust memory. */
const WITH_LESS_MEMORY = 'ulimit -v 1572864 2>/dev/null; exec "$@"';

/** Runs the command in its own process group, so that a timeout also ends its children. */
function run(
  [program = "", ...args]: readonly string[],
  { ms, bytes, input = "" }: GitLimits,
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
    // The pipes are absent when the system had none left.
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > bytes) end();
    });
    // The program may exit without reading its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    child.on("close", (code) => {
      over();
      if (gone?.aborted) return reject(gone.reason);
      const unstartable = program === "/bin/sh" ? undefined : SHELL_REASONS[code ?? 0];
      if (unstartable !== undefined) return reject(unstarted(program, cwd, { code: unstartable }));
      if (isLate) return reject(unreadableRepository(`git took more than ${ms / 1000} s`));
      resolve({ stdout: Buffer.concat(chunks).subarray(0, bytes), code, isCut: size > bytes });
    });
  });
}

/** Node reports a missing working directory with the same code as a missing program. */
function unstarted(
  program: string,
  cwd: string,
  { code }: Pick<NodeJS.ErrnoException, "code">,
): HostError {
  const isMissing = code === "ENOENT" && existsSync(cwd);
  return unreadableRepository(
    isMissing ? `${program} is not installed` : `git did not start (${code})`,
  );
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process had already ended.
  }
}
