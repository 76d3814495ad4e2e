/** Copies all durable data: a prefix of the journal, its blobs and definitions, the settings. */

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "@holdfast/protocol";
import { isWithin } from "./base/paths.ts";
import { syncDirectory, syncFile } from "./base/sync.ts";
import type { BackupReport, Journal } from "./journal/journal.ts";
import { journalFiles, makeDirectory } from "./journal/sqlite/file/files.ts";

/** A marker file that exists in a backup until the backup is complete. */
const UNFINISHED = "unfinished-backup";

const COPIED = ["blobs", "definitions", "config.json"];
/** A directory in the root of every ext4 disk. */
const OF_THE_DISK = "lost+found";

/**
 * Writes the copy to a temporary directory beside `to` and renames it, or writes directly into `to`
 * when that cannot be replaced. The journal is copied first: every file that an event in the copy
 * refers to was on disk before the event.
 */
export async function backupData(
  journal: Journal,
  data: string,
  to: string,
): Promise<BackupReport> {
  if (isWithin(to, data)) {
    throw new HostError(
      "bad_input",
      `${to} is inside the data directory ${data}. Name a directory outside it.`,
    );
  }
  makeDirectory(to);
  const place = isReplaceable(to) ? `${to}.partial` : to;
  if (place !== to && readdirSync(to).length > 0) {
    throw new HostError("bad_input", `${to} is not empty. Name a new directory.`);
  }
  if (place !== to) refuseUnrenamed(to);
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

/** Tests whether `to` can be replaced: a mount point or link would fail only after the copy. */
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

/** Removes the files of an interrupted backup, and refuses any other content. */
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

/** Makes the copy private, even if the original was not, and syncs it to disk. */
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

/** Refuses an unfinished backup: a host would open it as an empty journal. */
export function refuseUnfinishedBackup(data: string): void {
  const { journal, lock } = journalFiles(data);
  // A backup is written beside the directory that it is for, which stays empty until the rename.
  if (!existsSync(journal)) refuseUnrenamed(data);
  // Earlier versions wrote no marker. A lock file would show that a host has run there.
  const isCutOff = !existsSync(lock) && existsSync(`${journal}-journal`);
  const isAwaited = !existsSync(journal) && existsSync(join(`${data}.partial`, UNFINISHED));
  if (!existsSync(join(data, UNFINISHED)) && !isCutOff && !isAwaited) return;
  throw new HostError(
    "data_damaged",
    `${data} is an incomplete backup. Make the backup again, or use another one.`,
  );
}

/** Refuses `to` when its backup is complete, but was cut off before the rename. */
function refuseUnrenamed(to: string): void {
  const place = `${to}.partial`;
  if (existsSync(join(place, UNFINISHED)) || !existsSync(journalFiles(place).journal)) return;
  throw new HostError(
    "data_damaged",
    `The backup is complete in ${place}, but was not renamed to ${to}. Remove the empty ${to} and rename ${place} to it, or delete ${place} and make the backup again.`,
  );
}
