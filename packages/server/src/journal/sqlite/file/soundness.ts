/** Checks for damage that reading events does not show, such as a lost index. */

import { DatabaseSync } from "node:sqlite";
import { cursorCrc } from "./checksum.ts";
import { journalFiles } from "./files.ts";

/** Call only on a journal that has no writer. */
export function isWholeFile(dir: string): boolean {
  const database = new DatabaseSync(journalFiles(dir).journal, { readOnly: true });
  try {
    const found = database.prepare("pragma integrity_check(1)").get();
    return Object.values(found ?? {})[0] === "ok" && hasWholeCursors(database);
  } finally {
    database.close();
  }
}

function hasWholeCursors(database: DatabaseSync): boolean {
  const cursors = database.prepare("select session, holder, n, crc from cursors").iterate();
  for (const { session, holder, n, crc } of cursors) {
    if (cursorCrc(Number(session), String(holder), Number(n)) !== crc) return false;
  }
  return true;
}
