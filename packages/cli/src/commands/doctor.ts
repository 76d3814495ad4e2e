/** Checks everything that a host needs, without changing it, and advises on each problem. */

import { command } from "../command.ts";
import { exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { type Check, examine } from "../host/examine.ts";
import { print, printLine } from "../output/print.ts";
import { withProgressNotes } from "../output/progress-notes.ts";
import { quiet, toned, type Words } from "../output/words.ts";

const spec = {
  name: "doctor",
  does: "check what a host needs",
  flags: localFlags,
} as const;

export const doctor = command(spec, async ({ data, json }) => {
  const checks = await withProgressNotes("looking", examine(data), json);
  const isWell = checks.every(({ level }) => level !== "bad");
  if (json) await print({ ok: isWell, checks });
  else for (const check of checks) for (const line of lines(check)) await printLine(line);
  return isWell ? exitCodes.ok : exitCodes.failed;
});

const marks = {
  good: toned("alive", "✓"),
  note: toned("needs", "!"),
  bad: toned("lost", "✗"),
} as const;

function lines({ name, level, found, advice }: Check): Words[] {
  const head = [marks[level], ` ${name.padEnd(11)}`, found];
  return advice === undefined ? [head] : [head, quiet(`  ${" ".repeat(11)}${advice}`)];
}
