/** Opens the files as a store. All checks that may refuse them run before the first write. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "../../../base/sync.ts";
import { journalFull, refusalError } from "../../store-refusal.ts";
import { refuseMarked } from "../boot/marker.ts";
import { migrate } from "../boot/migrate.ts";
import { isDamagedInTheMiddle } from "../boot/wal.ts";
import { dataDamaged, explainDamage } from "../file/damage.ts";
import { checkSchema, openWriting } from "../file/database.ts";
import { type JournalFiles, makePrivateFile } from "../file/files.ts";
import { isDiskFull } from "../file/sqlite-error.ts";
import { Space } from "./space.ts";
import { Store } from "./store.ts";

/** The caller must hold the directory's lock. */
export function openStore(files: JournalFiles, ballastBytes: number): Store {
  const { journal, ballast } = files;
  refuseMarked(files);
  // SQLite would treat the log as a leftover and delete it, with all events in it.
  if (sizeOf(journal) < 2 && sizeOf(`${journal}-wal`) > 0) {
    throw dataDamaged(journal, "it is missing or empty, but its write-ahead log is not");
  }
  if (isDamagedInTheMiddle(`${journal}-wal`)) {
    throw dataDamaged(journal, "its write-ahead log is damaged in the middle");
  }
  makePrivateFile(journal);
  const space = new Space(ballast, ballastBytes);
  return explainDamage(journal, () => {
    try {
      return openWithin(space, journal);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
    space.ranOut();
    return explainFull(() => openWithin(space, journal));
  });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openWithin(space: Space, journal: string): Store {
  const database = openWriting(journal);
  try {
    migrate(database, journal);
    checkSchema(database, journal);
    const store = new Store(database, space);
    // The log's file exists by now. SQLite syncs its name too, but ignores a failure of that sync.
    syncDirectory(dirname(journal));
    return store;
  } catch (error) {
    database.close();
    throw error;
  }
}

function explainFull<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isDiskFull(error) ? refusalError(journalFull()) : error;
  }
}
