/** A copy of everything durable: the journal as one consistent prefix, what it can name, and settings. */

import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { BackupReport, Journal } from "./journal/journal.ts";
import { journalFiles, makeDirectory, syncDirectory, syncFile } from "./journal/sqlite/files.ts";
import { isWithin } from "./paths.ts";

/** Lies in a backup from its first byte to its last. */
const UNFINISHED = "unfinished-backup";

/**
 * Written beside its place and moved there whole. What the journal names is copied after it: whatever
 * an event in the copy names was on disk before it.
 */
export async function backupData(
  journal: Journal,
  data: string,
  to: string,
): Promise<BackupReport> {
  if (isWithin(to, data)) {
    throw new HostError(
      "bad_input",
      `${to} lies in the data directory ${data}, and would be lost with it. Name one outside.`,
    );
  }
  makeDirectory(to);
  if (readdirSync(to).length > 0) {
    throw new HostError("bad_input", `${to} is not empty. Name a new directory.`);
  }
  const partial = `${to}.partial`;
  beginIn(partial);
  const report = await journal.backup(join(partial, "journal.db"));
  for (const name of ["blobs", "definitions", "config.json"]) {
    const from = join(data, name);
    if (existsSync(from)) cpSync(from, join(partial, name), { recursive: true });
  }
  closeAndSync(partial);
  rmSync(join(partial, UNFINISHED));
  syncDirectory(partial);
  renameSync(partial, to);
  syncDirectory(dirname(to));
  return { ...report, path: to };
}

/** Clears what a backup that was cut off left there, and nothing else. */
function beginIn(partial: string): void {
  const isLeft = existsSync(join(partial, UNFINISHED));
  if (isLeft) rmSync(partial, { recursive: true });
  makeDirectory(partial);
  if (readdirSync(partial).length > 0) {
    throw new HostError(
      "bad_input",
      `${partial} is in the way. Move it, or name another directory.`,
    );
  }
  writeFileSync(join(partial, UNFINISHED), "", { mode: 0o600 });
  syncDirectory(partial);
}

/** A copy is as private as what it was copied from may not have been. */
function closeAndSync(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    chmodSync(path, entry.isDirectory() ? 0o700 : 0o600);
    if (entry.isDirectory()) closeAndSync(path);
    else syncFile(path);
  }
  syncDirectory(dir);
}

/** A host would take a backup that was cut off for an empty journal, as if there had been no sessions. */
export function refuseUnfinishedBackup(data: string): void {
  const { journal, lock } = journalFiles(data);
  // Earlier versions left no mark. No host ran there, or its lock would be there, too.
  const isCutOff = !existsSync(lock) && statSync(`${journal}-journal`, { throwIfNoEntry: false });
  if (!existsSync(join(data, UNFINISHED)) && !isCutOff) return;
  throw new HostError(
    "data_damaged",
    `${data} is a backup that was cut off before it was complete. Make it again, or use another one.`,
  );
}
