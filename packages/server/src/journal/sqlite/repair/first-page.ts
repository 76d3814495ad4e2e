/** The first page is alike in all journals of a version: a lost one comes from a new journal. */

import { readFileSync, writeFileSync } from "node:fs";
import { openWriting, pageSize, prepareSchema } from "../file/database.ts";

const pageCountAt = 28;
const freelistAt = 32;

export function restoreFirstPage(path: string, model: string): void {
  const database = openWriting(model);
  prepareSchema(database);
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  const first = readFileSync(model);
  const found = readFileSync(path);
  // A file cut within its first page still has a log, which may hold all other pages.
  const bytes = Buffer.alloc(Math.max(found.length, pageSize));
  found.copy(bytes);
  first.copy(bytes, 0, 0, pageSize);
  bytes.writeUInt32BE(Math.floor(bytes.length / pageSize), pageCountAt);
  // The list of free pages is lost; reading works with an empty one.
  bytes.fill(0, freelistAt, freelistAt + 8);
  writeFileSync(path, bytes);
}
