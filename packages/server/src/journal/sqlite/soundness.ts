/** What no event shows: a lost index, a page that nothing leads to, a cursor that fails its checksum. */

import { DatabaseSync } from "node:sqlite";
import { cursorCrc } from "./checksum.ts";
import { journalFiles } from "./files.ts";

/** Of a journal that nobody writes to meanwhile. */
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
