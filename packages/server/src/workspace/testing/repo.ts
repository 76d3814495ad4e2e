/** Repositories for tests, created by git itself. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Look } from "../git.ts";

const made: string[] = [];

export function removeFolders(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

export function newFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-workspace-")));
  made.push(dir);
  return dir;
}

/** The parameters that the host uses for a folder it created. */
export function lookAt(root: string): Look {
  return { root, scratch: newFolder(), upTo: null };
}

export function write(dir: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}

export function git(dir: string, ...args: string[]): string {
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  return execFileSync("git", args, { cwd: dir, env, stdio: "pipe", encoding: "utf8" }).trim();
}

export function newRepository(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = newFolder();
  git(dir, "init", "-q", "-b", "main");
  if (Object.keys(files).length === 0) return dir;
  write(dir, files);
  git(dir, "add", "-A");
  git(dir, "commit", "-q", "-m", "first");
  return dir;
}
