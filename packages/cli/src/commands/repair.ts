import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { print, say } from "../print.ts";

const spec = {
  name: "repair",
  does: "mend a damaged journal; the old is kept",
  flags: localFlags,
} as const;

export const repair = command(spec, async ({ json, ...flags }) => {
  const data = dataDirectory(flags.data);
  if (!json) say(`holdfast: reading what can be read in ${data} …`);
  const { repairSqliteJournal } = await import("@holdfast/server");
  const report = await repairSqliteJournal(data);
  if (json) await print(report);
  else for (const line of JSON.stringify(report, null, 2).split("\n")) say(line);
  return exitCodes.ok;
});
