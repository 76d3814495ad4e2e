/**
 * `npm run bench -- journal|stream|resume|page|sandbox [--rounds N] [--quick] [--only name,name]`:
 * measures the journal, the whole host, resuming sessions, the page in a browser, or a sandbox's
 * parts, together with its floor and its peers. README.md explains the results.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Metrics, runCell } from "./cell.ts";
import { describeMachine, load } from "./machine.ts";
import { isForeign, preparePeers } from "./peers/packages.ts";
import { report, verdictTable } from "./report.ts";
import type { CellResult, Results } from "./results.ts";
import { prepareScratch, seeded, withFreshDir } from "./scratch.ts";
import type { Suite, Workload } from "./suite.ts";
import { journal } from "./suites/journal.ts";
import { page } from "./suites/page.ts";
import { resume } from "./suites/resume.ts";
import { sandbox } from "./suites/sandbox.ts";
import { stream } from "./suites/stream.ts";

const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const suites: Readonly<Record<string, Suite>> = { journal, stream, resume, page, sandbox };
const [benchmark = ""] = positionals;
const suite = suites[benchmark];
if (suite === undefined || positionals.length > 1) {
  const usage = "[--rounds N] [--quick] [--only name,name]";
  console.error(`Usage: npm run bench -- ${Object.keys(suites).join("|")} ${usage}`);
  process.exit(2);
}

const rounds = Number(args.rounds ?? (args.quick ? suite.rounds.quick : suite.rounds.full));
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error("--rounds needs a whole number, 1 or more");
const only = args.only?.split(",");
const chosen = suite
  .workloads(args.quick)
  .filter(({ name }) => only?.some((o) => name === o || name.startsWith(`${o}@`)) ?? true);
if (chosen.length === 0) throw new Error(`--only ${args.only} names no workload`);

const scratch = prepareScratch();
const machine = describeMachine(scratch);
const before = load();
const started = new Date();
const cells: CellResult[] = [];
const unavailable = preparePeers(new Set(chosen.flatMap(({ peers }) => peers)), progress);
const skipped = [...unavailable].map(([peer, reason]) => `${peer}: ${reason}`);
for (const line of skipped) progress(`skipped ${line}`);
const measured = (peers: readonly string[]) => peers.filter((peer) => !unavailable.has(peer));
const total = chosen.reduce(
  (sum, { peers, once }) => sum + measured(peers).length * (once ? 1 : rounds),
  0,
);
for (let round = 0; round < rounds; round++) {
  for (const workload of chosen)
    if (round === 0 || !workload.once) await runWorkload(workload, round);
}

const complete = !args.quick && only === undefined && rounds >= suite.rounds.full;
const results: Results = {
  benchmark,
  date: started.toISOString().slice(0, 10),
  complete,
  rounds,
  machine,
  load: { before, after: load() },
  cells,
  ...(skipped.length === 0 ? {} : { skipped }),
};
const written = write(suite, results);
console.log(`\n${verdictTable(suite, results)}\n\nWritten to ${written}.json and .md`);

async function runWorkload({ name, module, options, seed, ...its }: Workload, round: number) {
  const peers = measured(its.peers);
  const from = seed === undefined ? null : await seeded(seed, progress);
  // The first peer of a round finds the disk quiet, so the order rotates.
  for (const peer of peers.map((_, i) => peers[(i + round) % peers.length] as string)) {
    const running = withFreshDir(from, (dir) =>
      runCell(module, { peer, dir, options: { ...options, round } }),
    );
    const metrics = await running.catch((error: unknown) => {
      // A failure of a foreign server is reported as a result and does not end the run.
      if (!isForeign(peer)) throw error;
      skipped.push(`${name} of ${peer} in round ${round + 1}: ${String(error)}`);
      return null;
    });
    if (metrics === null) continue;
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

/**
 * Writes the results. Complete runs are kept beside earlier ones and never replace one; others go
 * to `.bench/`.
 */
function write(shown: Suite, kept: Results): string {
  const folder = kept.complete ? fileURLToPath(new URL("results/", import.meta.url)) : scratch;
  mkdirSync(folder, { recursive: true });
  const base = `${kept.date}-${kept.benchmark}`;
  let name = base;
  for (let n = 2; kept.complete && existsSync(join(folder, `${name}.json`)); n++)
    name = `${base}-${n}`;
  const path = join(folder, name);
  writeFileSync(`${path}.json`, `${JSON.stringify(kept, null, 1)}\n`);
  writeFileSync(`${path}.md`, `${report(shown, kept)}\n`);
  return path;
}
