import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { HostError } from "@holdfast/protocol";
import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { exitCodes, usage } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { print, say } from "../print.ts";

const spec = {
  name: "backup",
  takes: "DIR",
  does: "copy a stopped host's data to a folder",
  flags: localFlags,
  words: { least: 0, most: 1 },
} as const;

/** Takes the host's own lock: a running host refuses, and says so. */
export const backup = command(spec, async ({ words, json, ...flags }) => {
  const [to] = words;
  if (to === undefined) throw usage("Say where: holdfast backup DIR.");
  const data = dataDirectory(flags.data);
  const journalFile = statSync(join(data, "journal.db"), { throwIfNoEntry: false });
  // An empty one would be made into a new journal, as if nothing had been lost.
  if (journalFile === undefined || journalFile.size === 0) {
    throw new HostError(
      "data_unusable",
      `There is no journal in ${data}. Name another with --data.`,
    );
  }
  const { backupData, openSqliteJournal } = await import("@holdfast/server");
  const journal = await openSqliteJournal({ dir: data });
  try {
    const report = await backupData(journal, data, resolve(to));
    if (json) await print(report);
    else say(`holdfast: ${report.sessions} sessions, ${report.events} events in ${report.path}`);
  } finally {
    await journal.close();
  }
  return exitCodes.ok;
});
