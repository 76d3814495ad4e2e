import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";
import { backupData, openSqliteJournal, readConfig } from "@holdfast/server";
import { readFlags } from "../flags.ts";
import { exitCodes, print, say } from "../print.ts";

/** Takes the host's own lock: a running host refuses, and says so. */
export async function backup(args: string[]): Promise<number> {
  const flags = readFlags(args, 1);
  const [to] = flags.words;
  if (to === undefined) throw new HostError("bad_input", "Say where: holdfast backup DIR.");
  const { data } = readConfig(flags);
  const journalFile = statSync(join(data, "journal.db"), { throwIfNoEntry: false });
  // An empty one would be made into a new journal, as if nothing had been lost.
  if (journalFile === undefined || journalFile.size === 0) {
    throw new HostError(
      "data_unusable",
      `There is no journal in ${data}. Name another with --data.`,
    );
  }
  const journal = await openSqliteJournal({ dir: data });
  try {
    const report = await backupData(journal, data, resolve(to));
    if (flags.json) await print(report);
    else say(`holdfast: ${report.sessions} sessions, ${report.events} events in ${report.path}`);
  } finally {
    await journal.close();
  }
  return exitCodes.ok;
}
