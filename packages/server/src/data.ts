/** Opens, copies and repairs the data of a stopped host, without loading the host. */

export { backupData } from "./backup.ts";
export type { BackupReport, Journal, Standing } from "./journal/journal.ts";
export { isWholeFile } from "./journal/sqlite/file/soundness.ts";
export { openSqliteJournal } from "./journal/sqlite/open.ts";
export { type RepairReport, repairSqliteJournal } from "./journal/sqlite/repair/repair.ts";
