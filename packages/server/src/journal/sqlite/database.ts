/** The connections: one that writes, and read-only ones that never wait for it. */

import { DatabaseSync } from "node:sqlite";
import { dataDamaged } from "./damage.ts";
import { applicationId, schemaAt, schemaVersion } from "./schema.ts";

/** Fixed, because repair must know it when the header that says it is lost. */
export const pageSize = 4096;

/** Can be said only before the first page is written; said later, they would write for nothing. */
const atCreation = `
  pragma page_size = ${pageSize};
  pragma auto_vacuum = incremental;
`;

/**
 * FULL: with NORMAL a power cut takes acknowledged events with it (promises.md, M1). No spilling: a
 * transaction's frames then stand in the log in the order of their pages, which wal.ts builds on.
 */
const durable = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 0;
  pragma cache_size = -16384;
  pragma cache_spill = off;
  pragma temp_store = memory;
`;

/** Nobody else writes; only a checkpoint ever waits, for a reader to finish its statement. */
const writerTimeoutMs = 200;

export function openWriting(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: writerTimeoutMs });
  try {
    if (pragma(database, "page_count") === 0) database.exec(atCreation);
    database.exec(durable);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function openReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  database.exec("pragma query_only = on; pragma cache_size = -8192");
  return database;
}

export function pragma(database: DatabaseSync, name: string): number {
  const row = database.prepare(`pragma ${name}`).get();
  return Number(Object.values(row ?? {})[0]);
}

/** Creates the tables in an empty file; says which version an existing one has. */
export function prepareSchema(database: DatabaseSync): number {
  const version = pragma(database, "user_version");
  if (version > 0 || pragma(database, "page_count") > 1) {
    const isOurs = pragma(database, "application_id") === applicationId && version > 0;
    if (isOurs) return version;
    throw dataDamaged("journal.db", "its header is not that of a Holdfast journal");
  }
  database.exec(`
    begin immediate;
    ${schemaAt()}
    insert into meta (only, epoch, settlements) values (1, 0, 0);
    pragma application_id = ${applicationId};
    pragma user_version = ${schemaVersion};
    commit;
  `);
  return schemaVersion;
}

/** SQLite keeps the tables' definitions as text in the file, where a bit can flip as anywhere. */
export function checkSchema(database: DatabaseSync, path: string): void {
  if (!hasOurTables(database)) throw dataDamaged(path, "its table definitions are damaged");
}

export function hasOurTables(database: DatabaseSync, version = schemaVersion): boolean {
  const model = new DatabaseSync(":memory:");
  model.exec(schemaAt(version));
  const isSame = definitions(database) === definitions(model);
  model.close();
  return isSame;
}

function definitions(database: DatabaseSync): string {
  const rows = database
    .prepare("select type, name, tbl_name, sql from sqlite_schema order by name")
    .all();
  return JSON.stringify(rows);
}
