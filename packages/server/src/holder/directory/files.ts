/** The files in a holder's directory, and the two ways to write one atomically. */

import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncDirectory } from "../../base/sync.ts";

/** The holder uses a relative name, because a socket's path is limited to 107 bytes. */
export const socketName = "s";
export const spoolName = "spool";

interface HolderFiles {
  readonly launch: string;
  readonly identity: string;
  readonly agent: string;
  readonly spool: string;
  readonly socket: string;
  readonly log: string;
}

export function holderFiles(dir: string): HolderFiles {
  return {
    launch: join(dir, "launch.json"),
    identity: join(dir, "identity"),
    agent: join(dir, "agent.json"),
    spool: join(dir, spoolName),
    socket: join(dir, socketName),
    log: join(dir, "log"),
  };
}

/** Creates a file atomically and durably. False when another writer was first. */
export function writeOnce(path: string, content: unknown): boolean {
  const draft = writeDraft(path, content);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
  syncDirectory(dirname(path));
  return true;
}

export function writeDurably(path: string, content: unknown): void {
  renameSync(writeDraft(path, content), path);
  syncDirectory(dirname(path));
}

/** Null when the file does not exist; throws on any other error. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

function writeDraft(path: string, content: unknown): string {
  const draft = `${path}.${process.pid}`;
  const fd = openSync(draft, "w", 0o600);
  try {
    writeSync(fd, `${JSON.stringify(content)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return draft;
}
