import { count } from "@holdfast/protocol";
import type { RepairReport } from "@holdfast/server/data";
import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { checkJournal } from "../host/check-journal.ts";
import { print, say } from "../output/print.ts";
import { withProgressNotes } from "../output/progress-notes.ts";

const spec = {
  name: "repair",
  does: "repair damaged session data; the old files are kept",
  flags: localFlags,
} as const;

export const repair = command(spec, async ({ json, ...flags }) => {
  const data = dataDirectory(flags.data);
  const sound = await withProgressNotes("checking the session data", checkJournal(data), json);
  if (sound !== null) {
    const { sessions, events } = sound;
    const all = `${count(sessions, "session")}, ${count(events, "event")}`;
    if (json) await print({ sound: true, damaged: null, sessions: [] });
    else say(`holdfast: the session data in ${data} is not damaged (${all})`);
    return exitCodes.ok;
  }
  if (!json) say(`holdfast: the session data in ${data} is damaged; repairing it …`);
  const { repairSqliteJournal } = await import("@holdfast/server/data");
  const report = await repairSqliteJournal(data);
  if (json) await print({ sound: false, ...report });
  else for (const line of lines(report)) say(`holdfast: ${line}`);
  return exitCodes.ok;
});

/** Lists the losses of each session; for the kept events only the total. */
function lines({ sessions, damaged }: RepairReport): string[] {
  const hurt = sessions.filter(({ lost, isHeadLost }) => lost !== null || isHeadLost);
  const kept = sessions.reduce(
    (sum, { kept: { from, to } }) => sum + Math.max(0, to - from + 1),
    0,
  );
  return [
    `repaired: ${count(sessions.length, "session")}, ${count(kept, "event")} kept`,
    ...hurt.slice(0, MOST_NAMED).map(hurtWords),
    ...(hurt.length > MOST_NAMED ? [`and ${hurt.length - MOST_NAMED} more: --json lists all`] : []),
    ...(hurt.length === 0 ? ["nothing was lost"] : []),
    `the damaged files are kept in ${damaged}`,
  ];
}

const MOST_NAMED = 20;

function hurtWords({ session, lost, isHeadLost }: RepairReport["sessions"][number]): string {
  const events = lost === null ? "" : `events ${lost.from} to ${lost.to} are lost`;
  const head = isHeadLost ? "its title and owner are lost" : "";
  return `${session}: ${[events, head].filter((words) => words !== "").join("; ")}`;
}
