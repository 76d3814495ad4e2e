/** Opens the connections: one that writes, and read-only ones that never wait for it. */

import { DatabaseSync } from "node:sqlite";
import { dataDamaged } from "./damage.ts";
import { applicationId, schemaAt, schemaVersion } from "./schema.ts";

/** Fixed, because repair needs it when the file's header is lost. */
export const pageSize = 4096;

/** These take effect only before the first page is written; later they would cause a useless write. */
const atCreation = `
  pragma page_size = ${pageSize};
  pragma auto_vacuum = incremental;
`;

/**
 * FULL, because with NORMAL a power cut loses acknowledged events (promises.md, M1). Spilling is
 * off so that a transaction's frames stand in the log in page order, which wal.ts relies on.
 */
const durable = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 0;
  pragma cache_size = -16384;
  pragma cache_spill = off;
  pragma temp_store = memory;
`;

/** This is the only writer; a checkpoint alone waits, for a reader to finish its statement. */
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

/** Creates the tables in an empty file; returns the schema version of an existing one. */
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

/** SQLite stores the table definitions as text in the file, where bits can flip like anywhere else. */
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
