/** For tests: a closed journal put back into format 1, as a version before `need` left it. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { contentCrc, headContent } from "../file/checksum.ts";

export function putBackToFormatOne(dir: string): void {
  const database = new DatabaseSync(join(dir, "journal.db"));
  database.exec(`
    begin;
    drop index sessions_needing;
    drop index sessions_outdated;
    update sessions set need = null;
  `);
  const update = database.prepare("update sessions set head_crc = ? where row = ?");
  const rows = database.prepare(`select row, ${headContent} as content from sessions`).all();
  for (const { row, content } of rows) update.run(contentCrc(String(content)), Number(row));
  database.exec(`
    alter table sessions drop column need;
    pragma user_version = 1;
    commit;
  `);
  database.close();
}
