/** Reads the lock of a data directory without taking it: a starting host is not disturbed. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** True when a process uses this data directory, or when its lock cannot be read. */
export function isLocked(data: string): boolean {
  const path = join(data, "lock.db");
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    database.prepare("select count(*) from sqlite_schema").get();
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
