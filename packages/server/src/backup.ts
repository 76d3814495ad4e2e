/** A copy of everything durable: the journal as one consistent prefix, and every blob it can name. */

import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { BackupReport, Journal } from "./journal/journal.ts";
import { makeDirectory } from "./journal/sqlite/files.ts";
import { isWithin } from "./paths.ts";

/** Blobs are copied after the journal: whatever an event in the copy names was on disk before it. */
export async function backupData(
  journal: Journal,
  data: string,
  to: string,
): Promise<BackupReport> {
  if (isWithin(to, data)) {
    throw new HostError(
      "bad_input",
      `${to} lies in the data directory ${data}, and would be lost with it. Name one outside.`,
    );
  }
  makeDirectory(to);
  if (readdirSync(to).length > 0) {
    throw new HostError("bad_input", `${to} is not empty. Name a new directory.`);
  }
  const report = await journal.backup(join(to, "journal.db"));
  const blobs = join(data, "blobs");
  if (existsSync(blobs)) cpSync(blobs, join(to, "blobs"), { recursive: true });
  return { ...report, path: to };
}
