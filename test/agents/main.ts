/**
 * Real agents with a model that is not: `npm run test:agents [-- --all] [--only a,b]`. Installs what
 * is missing, and says at the end what each agent did.
 */

import { parseArgs } from "node:util";
import { install } from "./install.ts";
import { type KnownAgent, knownAgents } from "./known.ts";
import { type Model, startModel } from "./model/server.ts";
import { problemsOf, rowOf, tableOf } from "./report.ts";
import { smoke } from "./smoke.ts";
import { endWorlds } from "./worlds.ts";

const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const { values: flags } = parseArgs({
  options: { all: { type: "boolean", default: false }, only: { type: "string" } },
});
const say = (line: string) => process.stdout.write(`agents: ${line}\n`);

function chosen(): readonly KnownAgent[] {
  const only = flags.only?.split(",");
  if (only === undefined) return knownAgents.filter(({ isUsual }) => flags.all || isUsual);
  const names = knownAgents.map(({ pin }) => pin.name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`agents: there is no agent ${unknown}; there are ${names.join(", ")}\n`);
    process.exit(EXIT_USAGE);
  }
  return knownAgents.filter(({ pin }) => only.includes(pin.name));
}

/** Its row, and whether it did all that is needed. */
async function tried(known: KnownAgent, model: Model): Promise<[string[], boolean]> {
  const { pin } = known;
  try {
    await install(pin, say);
    say(`${pin.name} ${pin.version}…`);
    const found = await smoke(known, model);
    const problems = problemsOf(found);
    say(`${pin.name} advertises ${found.advertised.join(", ")}`);
    say(`${pin.name} replayed ${found.replayed.join(", ") || "nothing"}`);
    for (const problem of problems) say(`${pin.name} FAILED: ${problem}`);
    return [rowOf(pin, found), problems.length === 0];
  } catch (error) {
    say(`${pin.name} FAILED: ${(error as Error).message}`);
    return [rowOf(pin, null), false];
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    endWorlds();
    process.exit(EXIT_INTERRUPTED);
  });
}

const agents = chosen();
const model = await startModel();
const rows: string[][] = [];
let passed = 0;
try {
  for (const known of agents) {
    const [row, isGood] = await tried(known, model);
    rows.push(row);
    if (isGood) passed += 1;
  }
} finally {
  endWorlds();
  await model.close();
}
const strays = new Set(model.record.strays);
if (strays.size > 0) say(`the model was also asked, and had no answer: ${[...strays].join(", ")}`);
const failed = agents.length - passed;
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${tableOf(rows)}\ntests: ${passed} passed, ${failed} failed, 0 skipped\n`);
