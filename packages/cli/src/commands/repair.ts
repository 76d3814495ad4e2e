import { readConfig, repairSqliteJournal } from "@holdfast/server";
import { command } from "../command.ts";
import { exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { print, say } from "../print.ts";

const spec = {
  name: "repair",
  does: "rebuild a damaged journal into a new file; the old one is kept",
  flags: localFlags,
} as const;

export const repair = command(spec, async ({ json, ...flags }) => {
  const { data } = readConfig(flags);
  if (!json) say(`holdfast: reading what can be read in ${data} …`);
  const report = await repairSqliteJournal(data);
  if (json) await print(report);
  else for (const line of JSON.stringify(report, null, 2).split("\n")) say(line);
  return exitCodes.ok;
});
