/**
 * `npm run bench -- journal [--rounds N] [--quick] [--only name]`: the journal beside its floor, in
 * one run. See README.md for how to read it.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Metrics, runCell } from "./cell.ts";
import { describeMachine, load } from "./machine.ts";
import { report, verdictTable } from "./report.ts";
import type { CellResult, Results } from "./results.ts";
import { prepareScratch, seeded, withFreshDir } from "./scratch.ts";
import { scales, type Workload, workloads } from "./workloads.ts";

const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const [benchmark] = positionals;
if (benchmark !== "journal" || positionals.length > 1) {
  console.error("Usage: npm run bench -- journal [--rounds N] [--quick] [--only name]");
  process.exit(2);
}

const scale = args.quick ? scales.quick : scales.full;
const rounds = Number(args.rounds ?? scale.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error("--rounds needs a whole number, 1 or more");
const { only } = args;
const chosen = workloads(scale).filter(
  ({ name }) => only === undefined || name === only || name.startsWith(`${only}@`),
);
if (chosen.length === 0) throw new Error(`--only ${only} names no workload`);

const scratch = prepareScratch();
const machine = describeMachine(scratch);
const before = load();
const started = new Date();
const cells: CellResult[] = [];
const total = rounds * chosen.reduce((sum, { peers }) => sum + peers.length, 0);
for (let round = 0; round < rounds; round++) {
  for (const workload of chosen) await runWorkload(workload, round);
}

const complete = !args.quick && only === undefined && rounds >= scales.full.rounds;
const results: Results = {
  benchmark,
  date: started.toISOString().slice(0, 10),
  complete,
  rounds,
  machine,
  load: { before, after: load() },
  cells,
};
const written = write(results);
console.log(`\n${verdictTable(results)}\n\nWritten to ${written}.json and .md`);

async function runWorkload({ name, module, peers, options, seed }: Workload, round: number) {
  const from = seed === undefined ? null : await seeded(seed, progress);
  // Whoever goes first in a round finds the disk quiet: they take turns.
  for (const peer of peers.map((_, i) => peers[(i + round) % peers.length] as string)) {
    const metrics = await withFreshDir(from, (dir) =>
      runCell(module, { peer, dir, options: { ...options, round } }),
    );
    cells.push({ workload: name, peer, round, metrics });
    progress(`${cells.length}/${total} round ${round + 1} ${name} ${peer}: ${inShort(metrics)}`);
  }
}

function inShort(metrics: Metrics): string {
  return Object.entries(metrics)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`)
    .join(", ");
}

function progress(line: string): void {
  const seconds = ((Date.now() - started.getTime()) / 1000).toFixed(0).padStart(4);
  console.log(`${seconds} s  ${line}`);
}

/** Complete runs are kept beside earlier ones and never replace one; the rest goes to `.bench/`. */
function write(kept: Results): string {
  const folder = kept.complete ? fileURLToPath(new URL("results/", import.meta.url)) : scratch;
  mkdirSync(folder, { recursive: true });
  const base = `${kept.date}-${kept.benchmark}`;
  let name = base;
  for (let n = 2; kept.complete && existsSync(join(folder, `${name}.json`)); n++)
    name = `${base}-${n}`;
  const path = join(folder, name);
  writeFileSync(`${path}.json`, `${JSON.stringify(kept, null, 1)}\n`);
  writeFileSync(`${path}.md`, `${report(kept)}\n`);
  return path;
}
