import { readConfig, repairSqliteJournal } from "@holdfast/server";
import { readFlags } from "../flags.ts";
import { exitCodes, print, say } from "../print.ts";

export async function repair(args: string[]): Promise<number> {
  const flags = readFlags(args, 0);
  const { data } = readConfig(flags);
  if (!flags.json) say(`holdfast: reading what can be read in ${data} …`);
  const report = await repairSqliteJournal(data);
  if (flags.json) await print(report);
  else say(JSON.stringify(report, null, 2));
  return exitCodes.ok;
}
