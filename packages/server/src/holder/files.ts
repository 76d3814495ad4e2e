/** What lies in a holder's own directory, and the two ways in which a file there becomes true. */

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

/** The socket's name is relative for its holder: paths of sockets are limited to 107 bytes. */
export const socketName = "s";
export const spoolName = "spool";

export interface HolderFiles {
  /** What the host wants of the holder; written before it is started. */
  readonly launch: string;
  /** Who the holder is, or that there will never be one. */
  readonly identity: string;
  /** Which process its agent is. */
  readonly agent: string;
  readonly spool: string;
  readonly socket: string;
  /** What the process itself had to say, if anything. */
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

/** Whole and durable, or not there. False when someone else was first: there is no second writer. */
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

/** Whole and durable, in place of what was there. */
export function writeDurably(path: string, content: unknown): void {
  renameSync(writeDraft(path, content), path);
  syncDirectory(dirname(path));
}

/** Null when it is not there; whatever else cannot be read is an error. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** What is in a directory, nothing when it is not there. */
export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

export function syncDirectory(dir: string): void {
  const fd = openSync(dir, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
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
