/** The directory the agent works in. An empty one becomes a small git repository. */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { seedFiles } from "./seed.ts";

const run = promisify(execFile);

/** Fixed settings and dates, so that the first commit is the same everywhere. */
const gitEnvironment = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Demo Agent",
  GIT_AUTHOR_EMAIL: "demo@holdfast.invalid",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "Demo Agent",
  GIT_COMMITTER_EMAIL: "demo@holdfast.invalid",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

/** No hooks, no line-ending conversion; the directory may seem to belong to another user. */
const gitSettings = ["core.hooksPath=/dev/null", "core.autocrlf=false", "safe.directory=*"].flatMap(
  (setting) => ["-c", setting],
);

export async function seedIfEmpty(cwd: string, path: string): Promise<void> {
  if (readdirSync(cwd).length > 0) return;
  for (const [name, content] of Object.entries(seedFiles)) writeFileSync(join(cwd, name), content);
  const git = async (...args: string[]): Promise<void> => {
    await run("git", [...gitSettings, ...args], { cwd, env: { PATH: path, ...gitEnvironment } });
  };
  await git("init", "--quiet", "--initial-branch=main", "--template=");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Begin a list of things to do");
}

export function readText(cwd: string, name: string): string | null {
  try {
    return readFileSync(join(cwd, name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
