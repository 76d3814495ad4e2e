/** Schema migrations. Each step runs in one transaction, after a copy of the file is made. */

import type { DatabaseSync } from "node:sqlite";
import { HostError } from "@holdfast/protocol/errors";
import { syncFile } from "../../../base/sync.ts";
import { rankOf } from "../../list-cursor.ts";
import { contentCrc, headContent } from "../file/checksum.ts";
import { pragma, prepareSchema } from "../file/database.ts";
import { schemaStep, schemaVersion } from "../file/schema.ts";

export interface Migration {
  readonly to: number;
  readonly run: (database: DatabaseSync) => void;
}

/** Steps to version 2 and later; version 1 is the first. */
const migrations: readonly Migration[] = [
  {
    to: 2,
    run(database) {
      database.exec(schemaStep(2));
      rankStanding(database);
    },
  },
];

/**
 * Fills `need` from the status of sessions that wait or were interrupted; the host fills in the
 * others from their journals (`outdatedHeads`). A record that fails its checksum is left unchanged.
 */
function rankStanding(database: DatabaseSync): void {
  const update = database.prepare("update sessions set need = ?, head_crc = ? where row = ?");
  const standing = database
    .prepare(
      `select row, head_crc, ${headContent} as content,
         case status when 'waiting' then ? else ? end as need
       from sessions
       where status in ('waiting', 'interrupted_startup', 'interrupted_waiting')
         and lifecycle <> 'ended'`,
    )
    .all(rankOf("waiting"), rankOf("interrupted"));
  for (const { row, head_crc, content, need } of standing) {
    if (contentCrc(String(content)) !== head_crc) continue;
    update.run(Number(need), contentCrc(`${content}|${need}`), Number(row));
  }
}

export function migrate(
  database: DatabaseSync,
  path: string,
  target = schemaVersion,
  steps = migrations,
): void {
  const version = prepareSchema(database);
  if (version > target) {
    throw new HostError(
      "data_too_new",
      `${path} was written by a newer Holdfast (format ${version}, this one knows ${target}). Install that version again.`,
      { version, known: target },
    );
  }
  if (version === target) return;
  keepCopy(database, `${path}.v${version}`);
  for (const { to, run } of steps.filter((step) => step.to > version && step.to <= target)) {
    database.exec("begin immediate");
    try {
      run(database);
      database.exec(`pragma user_version = ${to}`);
      database.exec("commit");
    } catch (error) {
      database.exec("rollback");
      throw error;
    }
  }
  if (pragma(database, "user_version") !== target)
    throw new Error(`no migration to format ${target}`);
}

function keepCopy(database: DatabaseSync, path: string): void {
  const copy = `${path}-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
  database.prepare("vacuum into ?").run(copy);
  syncFile(copy);
}
