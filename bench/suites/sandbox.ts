/** The cost of a sandbox; so far of its egress, against a bare pipe. */

import { ratioOf } from "../results.ts";
import type { Columns, Suite, Table, Target, Workload } from "../suite.ts";

function workloads(isQuick: boolean): Workload[] {
  const streamed = (name: string, options: Readonly<Record<string, number>>) => ({
    name,
    module: "./cells/egress.ts",
    peers: ["floor", "holdfast"],
    options,
  });
  return [
    streamed("egress@flat", { events: isQuick ? 50_000 : 500_000 }),
    streamed("egress@1k", { events: isQuick ? 1000 : 5000, rate: 1000 }),
  ];
}

const columns: Columns = [
  ["delayP50Ms", "delay p50 ms"],
  ["delayP99Ms", "delay p99 ms"],
  ["cpuUsPerEvent", "CPU of the forwarder, µs per event"],
];

const tables: readonly Table[] = [
  {
    workload: "egress@flat",
    text: "A reply of events of 180 bytes, as fast as the client reads. The floor is a bare pipe of two sockets.",
    columns,
  },
  { workload: "egress@1k", text: "The same at 1,000 events a second.", columns },
];

const atMostTwice = (figure: string, workload: string, metric: string): Target => ({
  figure: `${workload}: ${figure} / bare pipe`,
  unit: "×",
  atMost: 2,
  measure: (cells) => ratioOf(cells, workload, metric, ["holdfast", "floor"]),
});

const targets: readonly Target[] = [
  atMostTwice("delay of an event, p50", "egress@1k", "delayP50Ms"),
  atMostTwice("CPU per event", "egress@1k", "cpuUsPerEvent"),
  atMostTwice("CPU per event", "egress@flat", "cpuUsPerEvent"),
];

export const sandbox: Suite = { rounds: { full: 9, quick: 2 }, workloads, tables, targets };
