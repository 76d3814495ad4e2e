/**
 * Fail-stop. After a failed write or sync the content of the disk is unknown, and SQLite would
 * still acknowledge the next commit. So the process ends at once, without a reply: callers must
 * treat the appends in flight as unknown, and the next boot reads the truth from the disk.
 */

import { writeSync } from "node:fs";
import { sqliteCode } from "../file/sqlite-error.ts";

/** SQLITE_CORRUPT and SQLITE_NOTADB: a restart would fail on the same file again. */
const isDamage = (code: number | null) => code !== null && [11, 26].includes(code & 0xff);

export function die(what: string, error: unknown): never {
  const code = sqliteCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  const next = isDamage(code)
    ? "the journal is damaged. Repair it with: holdfast repair"
    : "check the disk, then start again";
  const line = `holdfast: ${what} failed${code === null ? "" : ` (SQLite ${code})`}: ${reason}. The host accepts no more changes; ${next}.\n`;
  try {
    writeSync(2, line);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
  throw error;
}
