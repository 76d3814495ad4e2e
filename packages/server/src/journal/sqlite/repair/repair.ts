/**
 * Repair never works in place: it reads a copy of the damaged files, writes a new journal, checks
 * it, and only then moves it into the old one's place. The old files stay beside it.
 */

import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HostError } from "@holdfast/protocol/errors";
import { syncDirectory, syncFile } from "../../../base/sync.ts";
import { lockDirectory } from "../boot/lock.ts";
import { markedSource, markForRepair, unmark } from "../boot/marker.ts";
import { withRightChecksums } from "../boot/wal.ts";
import { hasOurTables, openWriting, pageSize, pragma, prepareSchema } from "../file/database.ts";
import { type JournalFiles, journalFiles, makePrivateFile } from "../file/files.ts";
import { schemaStep, schemaVersion } from "../file/schema.ts";
import { isDamage } from "../file/sqlite-error.ts";
import { restoreFirstPage } from "./first-page.ts";
import { Rebuild, type SessionRepair } from "./rebuild.ts";
import { Salvage } from "./salvage.ts";

export type { SessionRepair } from "./rebuild.ts";

export interface RepairReport {
  readonly damaged: string;
  readonly sessions: readonly SessionRepair[];
}

export async function repairSqliteJournal(dir: string): Promise<RepairReport> {
  const files = journalFiles(dir);
  const lock = lockDirectory(files);
  try {
    return repair(files);
  } finally {
    lock.release();
  }
}

function repair(files: JournalFiles): RepairReport {
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, "");
  // An earlier repair that was cut short has already moved the damaged files aside.
  const source = markedSource(files) ?? files.journal;
  if (!existsSync(source) && !existsSync(`${source}-wal`)) {
    throw new HostError(
      "data_damaged",
      `There is no ${source} to repair. Restore one from a backup.`,
    );
  }
  const damaged = source === files.journal ? `${files.journal}.damaged-${stamp}` : source;
  removeStaleWork(files.dir);
  const work = join(files.dir, `repairing-${stamp}`);
  mkdirSync(work, { mode: 0o700 });
  try {
    const old = openCopy(source, work);
    const fresh = join(work, "fresh.db");
    const sessions = rebuild(old, fresh);
    old.close();
    if (source === files.journal) setAside(files.journal, damaged);
    markForRepair(files, { reason: "a repair was cut short", source: damaged });
    rmSync(`${files.journal}-wal`, { force: true });
    rmSync(`${files.journal}-shm`, { force: true });
    renameSync(fresh, files.journal);
    syncDirectory(files.dir);
    unmark(files);
    return { damaged, sessions };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Removes work directories of killed repairs: only copies, and this process has the lock. */
function removeStaleWork(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const isWork = entry.isDirectory() && /^repairing-\d{8}T\d{9}Z$/.test(entry.name);
    if (isWork) rmSync(join(dir, entry.name), { recursive: true, force: true });
  }
}

/** A copy that SQLite can open: its log read to the end, and a new first page if lost. */
function openCopy(source: string, work: string): DatabaseSync {
  const copy = join(work, "copy.db");
  // A log without its database can hold all events.
  if (existsSync(source)) copyFileSync(source, copy);
  else makePrivateFile(copy);
  const wal = withRightChecksums(`${source}-wal`);
  if (wal) writeFileSync(`${copy}-wal`, wal);
  // SQLite would treat the log beside an empty file as a leftover and delete it.
  const opened = statSync(copy).size < pageSize ? null : tryOpen(copy);
  if (opened) return opened;
  if (statSync(copy).size >= pageSize) foldLog(copy);
  restoreFirstPage(copy, join(work, "model.db"));
  const reopened = tryOpen(copy);
  if (reopened) return reopened;
  throw new HostError(
    "data_damaged",
    `Nothing in ${source} can be read. Restore it from a backup.`,
  );
}

/** Moves the log into the file, because a first page in the log would hide the restored one. */
function foldLog(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // An unreadable log cannot hide the restored page.
  }
  database.close();
}

/** Returns null when the copy cannot be used as it is, for example because a column's name is damaged. */
function tryOpen(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path);
  try {
    if (isBroughtUpToDate(database)) return database;
  } catch (error) {
    const isUnreadable =
      isDamage(error) || (error instanceof Error && /no such table|malformed/.test(error.message));
    if (!isUnreadable) throw error;
  }
  database.close();
  return null;
}

function isBroughtUpToDate(database: DatabaseSync): boolean {
  if (hasOurTables(database)) return true;
  const version = pragma(database, "user_version");
  if (version < 1 || version >= schemaVersion || !hasOurTables(database, version)) return false;
  for (let to = version + 1; to <= schemaVersion; to++) database.exec(schemaStep(to));
  return hasOurTables(database);
}

function rebuild(old: DatabaseSync, path: string): SessionRepair[] {
  makePrivateFile(path);
  const fresh = openWriting(path);
  prepareSchema(fresh);
  const salvage = new Salvage(old);
  const rebuilding = new Rebuild(fresh, salvage.epoch());
  fresh.exec("begin");
  const sessions = Array.from(salvage.sessions(), (session) => rebuilding.add(session));
  fresh.exec("commit");
  const check = fresh.prepare("pragma integrity_check").get()?.integrity_check;
  if (check !== "ok") throw new Error(`the repaired journal is not sound: ${check}`);
  // Moves the log into the file, so that one file is the whole journal.
  fresh.exec("pragma wal_checkpoint(truncate)");
  fresh.close();
  syncFile(path);
  return sessions;
}

/** Uses hard links, so that the old journal keeps its name until the new one is in place. */
function setAside(journal: string, damaged: string): void {
  makePrivateFile(journal);
  linkSync(journal, damaged);
  if (existsSync(`${journal}-wal`)) linkSync(`${journal}-wal`, `${damaged}-wal`);
}
