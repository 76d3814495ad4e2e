/** Keeps a data directory to its owner: whoever can write there says which commands the host starts. */

import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
/** Made by the host itself, with these beginnings; folders in it are closed with the directory. */
const OWN_FILES = /^(journal\.db|lock\.db|ballast|token|credentials|host\.json|config\.json)/;

/** Takes every right from others, and says so where they could have written. */
export function closeToOthers(data: string, say: (line: string) => void): void {
  // Whoever opens it says what is wrong with a directory that is none.
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) return;
  const paths = [data, ...ownFiles(data)];
  const open = paths.filter((path) => modeOf(path) & OTHERS);
  const writable = open.filter((path) => modeOf(path) & OTHERS_WRITE);
  for (const path of open) close(path);
  for (const path of writable) {
    say(`${path} could be written by other users. It is closed now; look at what is in it.`);
  }
}

function close(path: string): void {
  try {
    chmodSync(path, modeOf(path) & ~OTHERS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    // What others can only read is their directory's own affair.
    if ((modeOf(path) & OTHERS_WRITE) === 0) return;
    throw new HostError(
      "data_unusable",
      `${path} belongs to another user, and others can write it. Take it over (chown), or name another directory with --data.`,
    );
  }
}

function ownFiles(data: string): string[] {
  return readdirSync(data)
    .filter((name) => OWN_FILES.test(name))
    .map((name) => join(data, name));
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}
