/** Closes a data directory to other users, who could choose the commands that the host starts. */

import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
/** Files of the host, by prefix. */
const OWN_FILES = /^(journal\.db|lock\.db|ballast|token|credentials|host\.json|config\.json)/;
/** Folders of the host, and the one in the root of every ext4 disk. */
const OWN_FOLDERS = new Set([
  "agents",
  "blobs",
  "definitions",
  "holders",
  "looks",
  "workspaces",
  "lost+found",
]);
/** Files that only a host creates; `config.json` or `agents/` may also belong to a project. */
const MARKS = ["journal.db", "lock.db"];

/**
 * Removes all access of other users if the directory holds only a host's files. If a host
 * has run in a directory that holds other files too, other users lose write access and keep read
 * access; other mixed directories stay unchanged. Reports every path that others could write to.
 */
export function closeToOthers(data: string, say: (line: string) => void): void {
  // Opening the journal reports a path that is not a directory.
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = readdirSync(data);
  const isMixed = names.some((name) => !OWN_FILES.test(name) && !OWN_FOLDERS.has(name));
  const isMarked = MARKS.some((name) => names.includes(name));
  if (isMixed) refuseShared(data, isMarked);
  if (isMixed && !isMarked) return;
  const files = names.filter((name) => OWN_FILES.test(name)).map((name) => join(data, name));
  const taken = new Map([[data, isMixed ? OTHERS_WRITE : OTHERS]]);
  for (const file of files) taken.set(file, OTHERS);
  const open = [...taken].filter(([path, rights]) => modeOf(path) & rights);
  const writable = open.filter(([path]) => modeOf(path) & OTHERS_WRITE);
  for (const [path, rights] of open) close(path, rights);
  for (const [path, rights] of writable) {
    const now = rights === OTHERS ? "only you can use it" : "they can still read it";
    say(`${path} was writable by other users. Now ${now}; check its content.`);
  }
}

/** Refuses a shared directory such as /tmp, even one in which a host has run. */
function refuseShared(data: string, isMarked: boolean): void {
  const mode = modeOf(data);
  if ((mode & OTHERS_WRITE) === 0 || (isMarked && (mode & STICKY) === 0)) return;
  throw new HostError(
    "data_unusable",
    `${data} contains other files, and other users can write to it. Name a new or empty directory with --data.`,
  );
}

function close(path: string, rights: number): void {
  try {
    chmodSync(path, modeOf(path) & ~rights);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    // Read access by others is left to the owner of the file.
    if ((modeOf(path) & OTHERS_WRITE) === 0) return;
    throw new HostError(
      "data_unusable",
      `${path} belongs to another user, and others can write to it. Make it yours with chown, or name another directory with --data.`,
    );
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
}
