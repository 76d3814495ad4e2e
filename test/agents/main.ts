/**
 * Real agents with a fake model: `npm run test:agents [-- --all] [--only a,b] [--phase P] [--victim
 * V] [--docs] [--results FILE]`. Installs missing agents, tests each agent alone, then kills it in
 * every way behind a real host, and prints the results.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { countsOf, origin, writeResults } from "../long/results.ts";
import { eachPoint, type Result } from "../long/suite.ts";
import { type Choice, choiceOf } from "./choice.ts";
import { install } from "./install.ts";
import type { KnownAgent } from "./known.ts";
import { type Cell, nameOf, titleOf } from "./matrix/cells.ts";
import { judge, type Verdict } from "./matrix/judge.ts";
import { endPlays, play } from "./matrix/play.ts";
import { matrixOf, type Played, pageWith, rowsOf } from "./matrix/table.ts";
import { type Model, startModel } from "./model/server.ts";
import { columns, problemsOf, rowOf, tableOf } from "./report.ts";
import { smoke } from "./smoke.ts";
import { endWorlds } from "./worlds.ts";

const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;
const say = (line: string) => process.stdout.write(`agents: ${line}\n`);

function chosen(): Choice {
  try {
    return choiceOf(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`agents: ${(error as Error).message}\n`);
    process.exit(EXIT_USAGE);
  }
}

/** Tests the agent alone, without a host: its cells mean little if this fails. */
async function triedAlone(known: KnownAgent, model: Model): Promise<readonly string[]> {
  const { pin } = known;
  await install(pin, say);
  say(`${pin.name} ${pin.version}, alone…`);
  const found = await smoke(known, model);
  say(`${pin.name} advertises ${found.advertised.join(", ")}`);
  say(`${pin.name} replayed ${found.replayed.join(", ") || "nothing"}`);
  rows.push(rowOf(pin, found));
  return problemsOf(found);
}

async function tried(cell: Cell, model: Model): Promise<readonly string[]> {
  let verdict: Verdict | null = null;
  try {
    verdict = judge(await play(cell, model));
    return verdict.problems;
  } finally {
    played.push({ cell, verdict });
    const { rung = "broken off", grade, context } = verdict ?? {};
    say(`${played.length}/${cells.length} ${nameOf(cell)}: ${[rung, grade, context].join(" ")}`);
  }
}

async function noted(suite: string, title: string, act: () => Promise<readonly string[]>) {
  const from = performance.now();
  const failures = await act().catch((error: Error) => [error.message]);
  const seconds = (performance.now() - from) / 1000;
  const status = failures.length === 0 ? "passed" : "failed";
  results.push({ suite, title, status, failures, seconds });
  say(`${suite} ${status} in ${seconds.toFixed(1)} s`);
  for (const failure of failures) say(`  ${failure}`);
  return [];
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    const leave = () => process.exit(EXIT_INTERRUPTED);
    endWorlds();
    endPlays().then(leave, leave);
  });
}

const { agents, cells, page, results: file } = chosen();
const begun = performance.now();
const from = origin();
const results: Result[] = [];
const rows: string[][] = [];
const played: Played[] = [];
const model = await startModel();
try {
  for (const agent of agents) {
    const { name, version } = agent.pin;
    const title = `${name} ${version} alone asks, writes and remembers`;
    await noted(name, title, () => triedAlone(agent, model));
  }
  await eachPoint({ progress: () => undefined }, cells, (cell) =>
    noted(nameOf(cell), titleOf(cell), () => tried(cell, model)),
  );
} finally {
  endWorlds();
  await endPlays();
  await model.close();
}

const strays = new Set(model.record.strays);
if (strays.size > 0) say(`the model was also asked, and had no answer: ${[...strays].join(", ")}`);
const matrix = rowsOf(played, new Date().toISOString().slice(0, 10));
if (page !== null) {
  writeFileSync(page, pageWith(existsSync(page) ? readFileSync(page, "utf8") : "", matrix));
}
writeResults(file, "agents", results, { begun: from });
say(`${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
const { passed, failed, skipped } = countsOf(results);
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${tableOf(columns, rows)}\n\n${matrixOf(matrix)}\n`);
process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
