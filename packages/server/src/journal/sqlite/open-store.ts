/** From files to a running store: what must be refused is refused before anything is written. */

import { journalFull, refusalError } from "../refusal.ts";
import { dataDamaged, explainDamage } from "./damage.ts";
import { checkSchema, openWriting } from "./database.ts";
import { type JournalFiles, makePrivateFile } from "./files.ts";
import { refuseMarked } from "./marker.ts";
import { migrate } from "./migrate.ts";
import { defaultBallastBytes, Space } from "./space.ts";
import { isFull } from "./sqlite-error.ts";
import { Store } from "./store.ts";
import { isDamagedInTheMiddle, readWal } from "./wal.ts";

/** The caller holds the directory's lock. */
export function openStore(files: JournalFiles, ballastBytes = defaultBallastBytes): Store {
  const { journal, ballast } = files;
  refuseMarked(files);
  const wal = readWal(`${journal}-wal`);
  if (wal && isDamagedInTheMiddle(wal)) {
    throw dataDamaged(journal, "its write-ahead log is damaged in the middle");
  }
  makePrivateFile(journal);
  const space = new Space(ballast, ballastBytes);
  return explainDamage(journal, () => {
    try {
      return openWithin(space, journal);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    space.ranOut();
    return explainFull(() => openWithin(space, journal));
  });
}

function openWithin(space: Space, journal: string): Store {
  const database = openWriting(journal);
  try {
    migrate(database, journal);
    checkSchema(database, journal);
    return new Store(database, space);
  } catch (error) {
    database.close();
    throw error;
  }
}

function explainFull<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isFull(error) ? refusalError(journalFull()) : error;
  }
}
