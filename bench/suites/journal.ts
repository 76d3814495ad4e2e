/** The journal compared with its floor. The targets are those of issue 1. */

import { own, ratioOf } from "../results.ts";
import type { Columns, Suite, Table, Target, Workload } from "../suite.ts";

interface Scale {
  readonly options: Readonly<Record<string, number>>;
  readonly boot: { readonly sessions: number; readonly runs: number };
}

const scales = {
  full: {
    options: { warmup: 1, seconds: 4 },
    boot: { sessions: 100_000, runs: 1_000 },
  },
  /** Shows that everything runs; too short for meaningful figures. */
  quick: {
    options: { warmup: 0.3, seconds: 1 },
    boot: { sessions: 10_000, runs: 100 },
  },
} as const satisfies Record<string, Scale>;

function workloads({ options, boot }: Scale): Workload[] {
  const replay = { module: "./seeds/replay.ts", options: { events: 100_000 } };
  const append = (sessions: number, peers: string[]): Workload => ({
    name: `append@${sessions}`,
    module: "./cells/append.ts",
    peers,
    options: { ...options, sessions },
  });
  return [
    append(1, ["floor", "holdfast", "product"]),
    append(100, ["floor", "holdfast", "product", "driver"]),
    append(1000, ["floor", "holdfast", "product"]),
    {
      name: "replay",
      module: "./cells/replay.ts",
      peers: ["floor", "holdfast"],
      options: { events: 100_000 },
      seed: replay,
    },
    {
      name: "followers",
      module: "./cells/followers.ts",
      peers: ["holdfast"],
      options: { ...options, sessions: 100, events: 100_000, followers: 50 },
      seed: replay,
    },
    {
      name: "boot",
      module: "./cells/boot.ts",
      peers: ["holdfast"],
      options: boot,
      seed: { module: "./seeds/boot.ts", options: boot },
    },
  ];
}

const appendColumns: Columns = [
  ["eventsPerSecond", "durable events/s"],
  ["cpuPerMillion", "CPU s per million"],
  ["ackP50", "ack p50 ms"],
  ["ackP99", "ack p99 ms"],
  ["loopP50", "loop delay p50 ms"],
  ["loopP99", "loop delay p99 ms"],
];

const tables: readonly Table[] = [
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

const against = ["holdfast", "floor"] as const;

const targets: readonly Target[] = [
  {
    figure: "append@100: events/s ÷ floor",
    unit: "×",
    atLeast: 0.5,
    measure: (cells) => ratioOf(cells, "append@100", "eventsPerSecond", against),
  },
  {
    figure: "append@100: CPU per event ÷ floor",
    unit: "×",
    atMost: 2.5,
    measure: (cells) => ratioOf(cells, "append@100", "cpuPerMillion", against),
  },
  ...[1, 100, 1000].map((sessions) => ({
    figure: `append@${sessions}: event-loop delay p99`,
    unit: " ms",
    atMost: 20,
    measure: own(`append@${sessions}`, "loopP99"),
  })),
  {
    figure: "replay: time ÷ floor",
    unit: "×",
    atMost: 3,
    measure: (cells) => ratioOf(cells, "replay", "ms", against),
  },
  {
    figure: "followers: writers' ack p99, with ÷ without",
    unit: "×",
    atMost: 3,
    measure: own("followers", "ackP99Ratio"),
  },
  {
    figure: "boot: process start to ready",
    unit: " ms",
    atMost: 3000,
    measure: own("boot", "readyMs"),
  },
  { figure: "boot: peak memory", unit: " MB", atMost: 250, measure: own("boot", "maxRssMb") },
];

export const journal: Suite = {
  rounds: { full: 5, quick: 2 },
  workloads: (isQuick) => workloads(isQuick ? scales.quick : scales.full),
  tables,
  targets,
};
