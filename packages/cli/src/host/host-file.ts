/** The file in the data directory in which a running host writes its address and pid. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../exit.ts";

export interface HostFile {
  readonly url: string;
  readonly pid: number;
  readonly bootId: string;
  /** The pid of the process that starts the host again when it is killed; null without one. */
  readonly supervisor: number | null;
}

/** Null when the file is missing or invalid. */
export function readHostFile(data: string): HostFile | null {
  const text = readIfThere(join(data, "host.json"));
  if (text === null) return null;
  try {
    const { url, pid, bootId, supervisor } = JSON.parse(text) as Partial<HostFile>;
    if (typeof url !== "string" || !URL.canParse(url)) return null;
    if (!Number.isSafeInteger(pid) || typeof bootId !== "string") return null;
    const isSupervised = Number.isSafeInteger(supervisor);
    return {
      url,
      pid: pid as number,
      bootId,
      supervisor: isSupervised ? Number(supervisor) : null,
    };
  } catch {
    return null;
  }
}

/** True when a process has this pid; it may be a different process than the one that wrote it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export function readToken(data: string): string | null {
  return readIfThere(join(data, "token"))?.trim() || null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code !== "EACCES") throw error;
    throw new CliError(
      "no_token",
      `You may not read ${path}. Set HOLDFAST_TOKEN to an API key of the host.`,
    );
  }
}
