/** Formats results as tables: the median, and the lowest and highest round. */

import { differenceOf, type Results, ratioOf, valuesOf } from "./results.ts";
import { type Spread, spreadOf } from "./stats.ts";
import type { Suite, Table } from "./suite.ts";
import { verdicts } from "./verdict.ts";

export function report(suite: Suite, results: Results): string {
  const { machine, load, rounds, date, benchmark, complete } = results;
  return [
    `# Benchmark \`${benchmark}\`, ${date}`,
    ...(complete ? [] : ["**Quick or partial run: shows that it works, not how fast it is.**"]),
    table(
      ["machine", ""],
      [
        ["processor", `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB`],
        ["kernel, file system", `${machine.kernel}, ${machine.fileSystem}`],
        ["Node", machine.node],
        ["load average before, after", `${load.before}, ${load.after}`],
        ["rounds", `${rounds}, peers one after the other in each`],
      ],
    ),
    ...(results.skipped ?? []).map((line) => `Skipped: ${line}`),
    "Each figure is the median of the rounds, with the lowest and highest in brackets.",
    ...suite.tables.flatMap((shown) => workloadTable(results, shown)),
    "## Verdict",
    verdictTable(suite, results),
  ].join("\n\n");
}

function workloadTable(results: Results, { workload, text, columns, beside }: Table) {
  const peers = [
    ...new Set(results.cells.filter((c) => c.workload === workload).map((c) => c.peer)),
  ];
  if (peers.length === 0) return [];
  const rows = peers.map((peer) => [
    peer,
    ...columns.map(([metric]) => shown(spreadOf(valuesOf(results.cells, workload, peer, metric)))),
  ]);
  for (const peer of peers.includes("floor") ? peers.filter((p) => p !== "floor") : []) {
    rows.push([
      `${peer} ${beside ?? "÷"} floor`,
      ...columns.map(([metric]) => {
        const pairedOf = beside === undefined ? ratioOf : differenceOf;
        const paired = pairedOf(results.cells, workload, metric, [peer, "floor"]);
        return paired === null ? "" : shown(paired);
      }),
    ]);
  }
  const titles = columns.map(([, title]) => title);
  return [`## ${workload}`, text, table(["", ...titles], rows)];
}

export function verdictTable({ targets }: Suite, { cells }: Results): string {
  return table(
    ["figure", "reach", "measured", "verdict"],
    verdicts(targets, cells).map(({ figure, reach, measured, unit, met }) => [
      figure,
      reach,
      `${shown(measured)}${unit}`,
      met ? "met" : "**not met**",
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export function shown({ median, min, max }: Spread): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}

/** Three significant digits, the precision of these figures. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
