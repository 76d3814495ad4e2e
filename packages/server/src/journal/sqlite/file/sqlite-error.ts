/** Classifies errors of node:sqlite by their result code (sqlite.org/rescode.html). */

const primary = {
  busy: 5,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
} as const;

/** The -shm file could not grow: SQLite reports a full disk as an I/O error here. */
const ioerrShmSize = 4874;

/** IOERR_READ, IOERR_SHORT_READ, IOERR_DATA and IOERR_CORRUPTFS. */
const readErrors = new Set([266, 522, 8202, 8458]);

export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  return typeof error.errcode === "number" ? error.errcode : null;
}

function hasPrimary(error: unknown, ...codes: number[]): boolean {
  const code = sqliteCode(error);
  return code !== null && codes.includes(code & 0xff);
}

export function isBusy(error: unknown): boolean {
  return hasPrimary(error, primary.busy);
}

export function isDiskFull(error: unknown): boolean {
  return hasPrimary(error, primary.full) || sqliteCode(error) === ioerrShmSize;
}

export function isCorrupt(error: unknown): boolean {
  return hasPrimary(error, primary.corrupt, primary.notADatabase);
}

/** The bytes on disk are unreadable or corrupt. Failed writes and syncs do not count. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return isCorrupt(error) || (code !== null && readErrors.has(code));
}
