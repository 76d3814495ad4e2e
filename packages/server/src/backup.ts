/** A copy of everything durable: the journal as one consistent prefix, what it can name, and settings. */

import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { BackupReport, Journal } from "./journal/journal.ts";
import { makeDirectory } from "./journal/sqlite/files.ts";
import { isWithin } from "./paths.ts";

/** What it names is copied after the journal: whatever an event in the copy names was on disk before it. */
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
  for (const name of ["blobs", "definitions", "config.json"]) {
    const from = join(data, name);
    if (existsSync(from)) cpSync(from, join(to, name), { recursive: true });
  }
  return { ...report, path: to };
}
