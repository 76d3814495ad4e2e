/** Results as tables people read: median, and beside it the lowest and highest round. */

import { type Results, ratioOf, valuesOf } from "./results.ts";
import { type Spread, spreadOf } from "./stats.ts";
import { verdicts } from "./verdict.ts";

type Columns = readonly (readonly [metric: string, title: string])[];

const appendColumns: Columns = [
  ["eventsPerSecond", "durable events/s"],
  ["cpuPerMillion", "CPU s per million"],
  ["ackP50", "ack p50 ms"],
  ["ackP99", "ack p99 ms"],
  ["loopP50", "loop delay p50 ms"],
  ["loopP99", "loop delay p99 ms"],
];

const tables: readonly { workload: string; text: string; columns: Columns }[] = [
  ...[1, 100, 1000].map((sessions) => ({
    workload: `append@${sessions}`,
    text: `${sessions} session${sessions === 1 ? "" : "s"}, one event of about 250 bytes in flight each.`,
    columns: appendColumns,
  })),
  {
    workload: "replay",
    text: "100,000 events of one session to one socket as SSE, cold process, warm page cache.",
    columns: [
      ["ms", "all events ms"],
      ["firstMs", "first event ms"],
      ["cpuMs", "server CPU ms"],
      ["maxRssMb", "peak RSS MB"],
    ],
  },
  {
    workload: "followers",
    text: "100 writing sessions, alone and while 50 sockets replay a 100,000-event session.",
    columns: [
      ["ackP99Alone", "ack p99 ms alone"],
      ["ackP99Followed", "ack p99 ms followed"],
      ["ackP99Ratio", "ratio"],
      ["eventsPerSecondAlone", "events/s alone"],
      ["eventsPerSecondFollowed", "events/s followed"],
      ["deliveredPerSecond", "delivered/s"],
      ["loopP99Followed", "loop delay p99 ms followed"],
    ],
  },
  {
    workload: "boot",
    text: "`holdfast serve` on a killed host's store: 100,000 sessions, 1,000,000 events, 1,000 open runs.",
    columns: [
      ["readyMs", "start to ready ms"],
      ["maxRssMb", "peak RSS MB"],
    ],
  },
];

export function report(results: Results): string {
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
    "Each figure is the median of the rounds, with the lowest and highest in brackets.",
    ...tables.flatMap((shown) => workloadTable(results, shown)),
    "## Verdict",
    verdictTable(results),
  ].join("\n\n");
}

function workloadTable(results: Results, { workload, text, columns }: (typeof tables)[number]) {
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
      `${peer} ÷ floor`,
      ...columns.map(([metric]) => {
        const ratio = ratioOf(results.cells, workload, metric, [peer, "floor"]);
        return ratio === null ? "" : shown(ratio);
      }),
    ]);
  }
  const titles = columns.map(([, title]) => title);
  return [`## ${workload}`, text, table(["", ...titles], rows)];
}

export function verdictTable({ cells }: Results): string {
  return table(
    ["figure", "reach", "measured", "verdict"],
    verdicts(cells).map(({ figure, reach, measured, unit, met }) => [
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

/** Three digits say all that such figures know. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}
