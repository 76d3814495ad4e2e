/**
 * Allows one host per data directory, by a lock that the operating system frees with the process.
 * The lock is a separate SQLite file, because an exclusive lock on the journal would block our own
 * reader. No other code may open `lock.db`: closing any descriptor of it would drop the lock.
 */

import { DatabaseSync } from "node:sqlite";
import { HostError } from "@holdfast/protocol/errors";
import { type JournalFiles, makeDirectory, makePrivateFile } from "../file/files.ts";
import { isBusy, isDamage, isDiskFull } from "../file/sqlite-error.ts";
import { refuseNetwork } from "./network.ts";

export interface DirectoryLock {
  release(): void;
}

export function lockDirectory(files: JournalFiles): DirectoryLock {
  makeDirectory(files.dir);
  refuseNetwork(files.dir);
  // To lock an empty file SQLite writes its first page, which a full disk would prevent.
  const isNew = makePrivateFile(files.lock);
  const database = new DatabaseSync(files.lock, { timeout: 0 });
  try {
    database.exec("begin exclusive");
    if (isNew) database.exec("create table lock (holder); commit; begin exclusive");
  } catch (error) {
    database.close();
    if (isDiskFull(error)) {
      throw new HostError("journal_full", `The disk under ${files.dir} is full. Free some space.`);
    }
    if (isDamage(error)) {
      throw new HostError(
        "data_unusable",
        `${files.lock} is not a lock file. It contains no data: delete it and start again.`,
      );
    }
    if (!isBusy(error)) throw error;
    throw new HostError(
      "data_locked",
      `Another Holdfast process is using ${files.dir}. Stop it, or choose another data directory.`,
      { dir: files.dir },
    );
  }
  return { release: () => database.close() };
}
