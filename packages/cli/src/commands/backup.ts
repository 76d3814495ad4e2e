import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { count, HostError } from "@holdfast/protocol";
import type { BackupReport } from "@holdfast/server/data";
import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { exitCodes, usage } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { hint } from "../hint.ts";
import { print, say } from "../output/print.ts";

const spec = {
  name: "backup",
  takes: "DIR",
  does: "copy a stopped host's sessions to DIR",
  flags: localFlags,
  words: { least: 0, most: 1 },
} as const;

/** Folders that a backup leaves out: the agents' files, and the credentials of this machine. */
const agentFiles = ["workspaces", "agents"];
const ownFiles = ["credentials", "token"];

function lines({ sessions, events, path }: BackupReport, data: string): string[] {
  const files = agentFiles.map((name) => join(data, name)).filter((file) => existsSync(file));
  return [
    `${count(sessions, "session")}, ${count(events, "event")} in ${path}`,
    "not included: the files that agents work on. Files in your own folders stay where they are",
    ...(files.length > 0
      ? [`to save the files in the host's own folders as well: cp -a ${files.join(" ")} ${path}`]
      : []),
    "not included: devices, API keys and the token. A host that starts on the copy makes a new token",
  ];
}

/** Takes the host's lock, so it fails with a message while a host runs. */
export const backup = command(spec, async ({ words, json, ...flags }) => {
  const [to] = words;
  if (to === undefined) throw usage(`Name the directory for the backup: ${hint("backup DIR")}`);
  const data = dataDirectory(flags.data);
  const journalFile = statSync(join(data, "journal.db"), { throwIfNoEntry: false });
  // Opening an empty file would create a new journal and hide the loss.
  if (journalFile === undefined || journalFile.size === 0) {
    throw new HostError(
      "data_unusable",
      `There are no sessions in ${data}. Name another data directory with --data.`,
    );
  }
  const { backupData, openSqliteJournal } = await import("@holdfast/server/data");
  const journal = await openSqliteJournal({ dir: data });
  try {
    const report = await backupData(journal, data, resolve(to));
    const without = [...agentFiles, ...ownFiles].map((name) => join(data, name));
    if (json) await print({ ...report, without });
    else for (const line of lines(report, data)) say(`holdfast: ${line}`);
  } finally {
    await journal.close();
  }
  return exitCodes.ok;
});
