/** A copy of everything durable: the journal as one consistent prefix, what it can name, and settings. */

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
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

const COPIED = ["blobs", "definitions", "config.json"];
/** In the root of every ext4 disk. */
const OF_THE_DISK = "lost+found";

/**
 * Writes the copy beside its place and moves it there whole, or into its place where that cannot be
 * replaced. What the journal names is copied after it: whatever an event in the copy names was on disk
 * before it.
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
  const place = isReplaceable(to) ? `${to}.partial` : to;
  if (place !== to && readdirSync(to).length > 0) {
    throw new HostError("bad_input", `${to} is not empty. Name a new directory.`);
  }
  beginIn(place);
  const report = await journal.backup(join(place, "journal.db"));
  for (const name of COPIED) {
    const from = join(data, name);
    if (existsSync(from)) cpSync(from, join(place, name), { recursive: true });
  }
  closeAndSync(place);
  rmSync(join(place, UNFINISHED));
  syncDirectory(place);
  if (place !== to) {
    renameSync(place, to);
    syncDirectory(dirname(to));
  }
  return { ...report, path: to };
}

/**
 * Tried before the copy, with an empty directory: a mount point, a link, and a directory whose parent
 * takes no new names would fail only after it.
 */
function isReplaceable(to: string): boolean {
  let probe: string | null = null;
  try {
    probe = mkdtempSync(`${to}.`);
    renameSync(probe, to);
    return true;
  } catch (error) {
    if (probe !== null) rmdirSync(probe);
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "ENOTEMPTY" || code === "EEXIST";
  }
}

/** Clears what a backup that was cut off left there, and nothing else. */
function beginIn(place: string): void {
  makeDirectory(place);
  const mark = join(place, UNFINISHED);
  if (existsSync(mark)) {
    const left = readdirSync(place).filter(
      (name) => COPIED.includes(name) || name.startsWith("journal.db"),
    );
    for (const name of left) rmSync(join(place, name), { recursive: true });
    rmSync(mark);
  }
  if (readdirSync(place).some((name) => name !== OF_THE_DISK)) {
    throw new HostError(
      "bad_input",
      `${place} is not empty. Move what is in it, or name another directory.`,
    );
  }
  writeFileSync(mark, "", { mode: 0o600 });
  syncDirectory(place);
}

/** A copy is as private as what it was copied from may not have been. */
function closeAndSync(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.name === OF_THE_DISK) continue;
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
