/** A file beside the journal that says it must be repaired before use; it prevents a crash loop. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncDirectory, syncFile } from "../../../base/sync.ts";
import { dataDamaged } from "../file/damage.ts";
import type { JournalFiles } from "../file/files.ts";

interface RepairMark {
  readonly reason: string;
  /** The path of the damaged files, when a repair has already moved them aside. */
  readonly source?: string;
}

export function markForRepair({ dir, marker }: JournalFiles, mark: RepairMark): void {
  writeFileSync(marker, JSON.stringify(mark), { mode: 0o600 });
  syncFile(marker);
  syncDirectory(dir);
}

export function unmark({ dir, marker }: JournalFiles): void {
  rmSync(marker, { force: true });
  syncDirectory(dir);
}

export function markedSource(files: JournalFiles): string | undefined {
  return readMark(files)?.source;
}

export function refuseMarked(files: JournalFiles): void {
  const mark = readMark(files);
  if (mark) throw dataDamaged(files.journal, mark.reason);
}

function readMark({ marker }: JournalFiles): RepairMark | null {
  if (!existsSync(marker)) return null;
  try {
    return JSON.parse(readFileSync(marker, "utf8")) as RepairMark;
  } catch {
    return { reason: "it was marked as damaged" };
  }
}
