import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { patiently } from "../patience.ts";
import { print, say } from "../print.ts";
import { soundnessOf } from "../soundness.ts";
import { count } from "../words.ts";

const spec = {
  name: "repair",
  does: "mend a damaged journal; the old is kept",
  flags: localFlags,
} as const;

export const repair = command(spec, async ({ json, ...flags }) => {
  const data = dataDirectory(flags.data);
  const sound = await patiently("reading the journal", soundnessOf(data), json);
  if (sound !== null) {
    const { sessions, events } = sound;
    const all = `${count(sessions, "session")}, ${count(events, "event")}`;
    if (json) await print({ sound: true, damaged: null, sessions: [] });
    else say(`holdfast: the journal in ${data} is sound (${all}); there is nothing to mend`);
    return exitCodes.ok;
  }
  if (!json) say(`holdfast: it is damaged; reading what can be read in ${data} …`);
  const { repairSqliteJournal } = await import("@holdfast/server");
  const report = await repairSqliteJournal(data);
  if (json) await print({ sound: false, ...report });
  else for (const line of JSON.stringify(report, null, 2).split("\n")) say(line);
  return exitCodes.ok;
});
