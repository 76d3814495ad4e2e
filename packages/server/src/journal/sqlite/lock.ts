/**
 * One host per data directory, by a lock the operating system frees with the process. It is a
 * SQLite file of its own: an exclusive lock on the journal itself would shut out our own reader.
 * No other code may open `lock.db`: closing any descriptor of it would drop the lock.
 */

import { DatabaseSync } from "node:sqlite";
import { HostError } from "@holdfast/protocol/errors";
import { type JournalFiles, makeDirectory, makePrivateFile } from "./files.ts";
import { refuseNetwork } from "./network.ts";
import { isBusy, isDamage, isFull } from "./sqlite-error.ts";

export interface DirectoryLock {
  release(): void;
}

export function lockDirectory(files: JournalFiles): DirectoryLock {
  makeDirectory(files.dir);
  refuseNetwork(files.dir);
  // SQLite writes the first page of an empty file to lock it, which a full disk would not allow.
  const isNew = makePrivateFile(files.lock);
  const database = new DatabaseSync(files.lock, { timeout: 0 });
  try {
    database.exec("begin exclusive");
    if (isNew) database.exec("create table lock (holder); commit; begin exclusive");
  } catch (error) {
    database.close();
    if (isFull(error)) {
      throw new HostError("journal_full", `The disk under ${files.dir} is full. Free some space.`);
    }
    if (isDamage(error)) {
      throw new HostError(
        "data_unusable",
        `${files.lock} is not a lock file. It holds no data: delete it and start again.`,
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
