/** Copies the journal consistently while it is being written, on a connection of its own. */

import { rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { syncDirectory, syncFile } from "../../base/sync.ts";
import type { BackupReport } from "../journal.ts";
import { openReading } from "./file/database.ts";
import { makeDirectory, makePrivateFile } from "./file/files.ts";
import { entriesIn } from "./file/log.ts";

/** All pages in one step: between two steps the writer could commit, and the backup would restart. */
const allPages = 0x7fffffff;

export async function backupJournal(journal: string, target: string): Promise<BackupReport> {
  const path = resolve(target);
  makeDirectory(dirname(path));
  rmSync(path, { force: true });
  makePrivateFile(path);
  const source = openReading(journal);
  try {
    await backup(source, path, { rate: allPages });
  } finally {
    source.close();
  }
  syncFile(path);
  syncDirectory(dirname(path));
  return { path, bytes: statSync(path).size, ...countIn(path) };
}

function countIn(path: string): { sessions: number; events: number } {
  const copy = openReading(path);
  try {
    const { sessions, settled } = copy
      .prepare("select count(*) as sessions, ifnull(sum(settled_seq), 0) as settled from sessions")
      .get() as { sessions: number; settled: number };
    return { sessions, events: settled + countTails(copy) };
  } finally {
    copy.close();
  }
}

function countTails(copy: DatabaseSync): number {
  const tailed = copy.prepare("select row, settled_seq from sessions where tail = 1").all();
  const settled = new Map(tailed.map(({ row, settled_seq }) => [row, Number(settled_seq)]));
  let events = 0;
  for (const { entries } of copy.prepare("select entries from log").iterate()) {
    for (const { session, firstSeq, count } of entriesIn(entries as Uint8Array)) {
      if (firstSeq > (settled.get(session) ?? Number.POSITIVE_INFINITY)) events += count;
    }
  }
  return events;
}
