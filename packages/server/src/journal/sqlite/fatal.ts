/**
 * Fail-stop. After a failed write or sync nobody knows what reached the disk, and SQLite would
 * acknowledge the next commit all the same. So the process ends at once, without a reply: what
 * was in flight is unknown to its callers, and the next life reads the truth from the disk.
 */

import { writeSync } from "node:fs";
import { sqliteCode } from "./sqlite-error.ts";

/** SQLite's own words for a file that is not what it should be: to start again meets the same. */
const isDamage = (code: number | null) => code !== null && [11, 26].includes(code & 0xff);

export function die(what: string, error: unknown): never {
  const code = sqliteCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  const next = isDamage(code)
    ? "the journal is damaged. Save what is whole with: holdfast repair"
    : "check the disk, then start again";
  const line = `holdfast: ${what} failed${code === null ? "" : ` (SQLite ${code})`}: ${reason}. Nothing more is acknowledged; ${next}.\n`;
  try {
    writeSync(2, line);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
  throw error;
}
