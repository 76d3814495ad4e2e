/**
 * The whole host over HTTP compared with its floor and its peers. The targets come from
 * measurements of the peers and from the issues.
 */

import { type CellResult, own, ratioOf, valuesOf } from "../results.ts";
import { spreadOf } from "../stats.ts";
import type { Columns, Suite, Table, Target, Workload } from "../suite.ts";

const cell = "./cells/stream.ts";

function workloads(isQuick: boolean): Workload[] {
  const share = isQuick ? 0.1 : 1;
  const flat = { events: 200_000 * share, warmup: 20_000 * share, rate: 0 };
  const paced = { events: 5000 * share, warmup: 1000 * share, rate: 1000 };
  const fan = { events: 1000 * share, warmup: 200 * share, rate: 200, event: 1 };
  const durable = ["floor", "holdfast", "ds-file", "ds-memory"];
  const agents = ["floor", "holdfast", "sandbox-agent"];
  const replay = { module: "./seeds/replay.ts", options: { events: 100_000 } };
  return [
    { name: "w1a@flat", module: cell, peers: durable, options: flat },
    { name: "w1a@1k", module: cell, peers: durable, options: paced },
    { name: "w1b@flat", module: cell, peers: agents, options: { ...flat, agent: 1 } },
    { name: "w1b@1k", module: cell, peers: agents, options: { ...paced, agent: 1 } },
    ...[100, 500].map((followers) => ({
      name: `w2@${followers}`,
      module: cell,
      peers: ["floor", "holdfast", "ds-memory", ...(followers === 100 ? ["ds-file"] : [])],
      options: { ...fan, followers },
    })),
    {
      name: "w2text@500",
      module: cell,
      peers: ["floor", "holdfast"],
      options: { ...fan, event: 0, followers: 500 },
    },
    {
      name: "w3",
      module: "./cells/stream-replay.ts",
      peers: ["floor", "holdfast", "ds-file"],
      options: { events: 100_000 },
      seed: replay,
    },
    {
      name: "w4",
      module: cell,
      peers: ["floor", "holdfast", "ds-file"],
      options: { sessions: 200, events: 120 * share, warmup: 20, rate: 20 },
    },
    {
      name: "w6@adopt",
      module: "./cells/adoption.ts",
      peers: ["holdfast"],
      options: { holders: isQuick ? 4 : 20 },
    },
    {
      name: "w6@idle",
      module: "./cells/idle.ts",
      peers: ["holdfast"],
      options: { sessions: 1000 },
    },
    {
      name: "w6@attach",
      module: "./cells/attach.ts",
      peers: ["holdfast"],
      options: { attaches: isQuick ? 50 : 300 },
    },
    {
      name: "w7",
      module: "./cells/kills.ts",
      peers: ["holdfast"],
      options: isQuick ? { kills: 3, events: 10_000 } : { kills: 20, events: 50_000 },
      once: true,
    },
  ];
}

const columns: Columns = [
  ["eventsPerSecond", "deltas/s"],
  ["cpuPerMillion", "CPU s per million"],
  ["p50", "p50 ms"],
  ["p99", "p99 ms"],
  ["lost", "lost"],
  ["dups", "twice"],
  ["refused", "refused"],
  ["rssMb", "RSS MB"],
];

const counted =
  "The agent's deltas are counted by the marks in their text, not the events: the host groups text for at most 50 ms, by design.";

const tables: readonly Table[] = [
  {
    workload: "w1a@flat",
    text: `One session, one follower, an agent inside the host that talks flat out. ${counted} The floor's producer is inside, too; durable-streams takes its deltas over HTTP, up to 256 in one request, and the producer's own work is not charged to it.`,
    columns,
  },
  {
    workload: "w1a@1k",
    text: "The same at 1,000 deltas/s; latency is from the intended time, grouping included.",
    columns,
  },
  {
    workload: "w1b@flat",
    text: "The agent is a process that speaks ACP, flat out. CPU is that of host and holder, or of the peer's server; the agent's own is nobody's.",
    columns,
  },
  { workload: "w1b@1k", text: "The same at 1,000 deltas/s.", columns },
  ...[100, 500].map((followers) => ({
    workload: `w2@${followers}`,
    text: `${followers} followers of one session at 200 events/s, none of them text, so that nothing is grouped. CPU per million is per event said; deltas/s is what all followers got together.`,
    columns,
  })),
  {
    workload: "w2text@500",
    text: "The same 500 followers and an agent that says 200 words/s, which the host groups.",
    columns,
  },
  {
    workload: "w3",
    text: "100,000 events of one session over HTTP, the second time; the floor reads a plain file.",
    columns: [
      ["ms", "all events ms"],
      ["firstMs", "first event ms"],
      ["cpuMs", "server CPU ms"],
      ["rssMb", "RSS MB"],
    ],
  },
  {
    workload: "w4",
    text: "200 sessions at 20 deltas/s each, one follower each.",
    columns,
  },
  {
    workload: "w6@adopt",
    text: "A killed host's holders, half of them at work, taken over by the next.",
    columns: [
      ["readyMs", "start to ready ms"],
      ["emptyMs", "the same without holders ms"],
      ["perHolderMs", "difference per holder ms"],
      ["adoptP50", "adoption p50 ms"],
      ["adoptMax", "adoption max ms"],
    ],
  },
  {
    workload: "w6@idle",
    text: "1,000 sessions that had a turn each and wait; memory after collecting garbage.",
    columns: [
      ["beforeMb", "RSS before MB"],
      ["afterMb", "RSS after MB"],
      ["moreMb", "more MB"],
    ],
  },
  {
    workload: "w6@attach",
    text: "From opening a stream on a talking session to the event at the head.",
    columns: [
      ["attachP50", "p50 ms"],
      ["attachP99", "p99 ms"],
    ],
  },
  {
    workload: "w7",
    text: "kill -9 of the host in the middle of a stream; the agent goes on in its holder.",
    columns: [
      ["kills", "kills"],
      ["acked", "acknowledged"],
      ["ackedLost", "of these lost"],
      ["marks", "deltas heard"],
      ["lost", "lost"],
      ["dups", "twice"],
      ["gaps", "gaps"],
    ],
  },
];

const ratio = (workload: string, metric: string, base: string) => (cells: readonly CellResult[]) =>
  ratioOf(cells, workload, metric, ["holdfast", base]);

/** The worst round: a single loss fails the target. */
const worst =
  (workload: string, ...metrics: string[]) =>
  (cells: readonly CellResult[]) => {
    const values = metrics.flatMap((metric) => valuesOf(cells, workload, "holdfast", metric));
    if (values.length === 0) return null;
    return { ...spreadOf(values), median: Math.max(...values) };
  };

const times = "×";
const targets: readonly Target[] = [
  {
    figure: "w1a: CPU per delta ÷ floor",
    unit: times,
    atMost: 2,
    measure: ratio("w1a@flat", "cpuPerMillion", "floor"),
  },
  {
    figure: "w1a: CPU per delta ÷ durable-streams with files",
    unit: times,
    atMost: 0.5,
    measure: ratio("w1a@flat", "cpuPerMillion", "ds-file"),
  },
  {
    figure: "w1a: deltas/s ÷ floor",
    unit: times,
    atLeast: 0.6,
    measure: ratio("w1a@flat", "eventsPerSecond", "floor"),
  },
  {
    figure: "w1b: CPU per delta of host and holder ÷ floor",
    unit: times,
    atMost: 3,
    measure: ratio("w1b@flat", "cpuPerMillion", "floor"),
  },
  {
    figure: "w1b: CPU per delta ÷ sandbox-agent",
    unit: times,
    atMost: 0.5,
    measure: ratio("w1b@flat", "cpuPerMillion", "sandbox-agent"),
  },
  {
    figure: "w1b: lost or twice, flat out",
    unit: "",
    atMost: 0,
    measure: worst("w1b@flat", "lost", "dups"),
  },
  ...[100, 500].flatMap((followers): Target[] => [
    {
      figure: `w2@${followers}: lost or twice`,
      unit: "",
      atMost: 0,
      measure: worst(`w2@${followers}`, "lost", "dups"),
    },
    {
      figure: `w2@${followers}: p50 ÷ floor`,
      unit: times,
      atMost: 3,
      measure: ratio(`w2@${followers}`, "p50", "floor"),
    },
  ]),
  {
    figure: "w2text@500: p50 ÷ floor",
    unit: times,
    atMost: 3,
    measure: ratio("w2text@500", "p50", "floor"),
  },
  { figure: "w3: time ÷ floor", unit: times, atMost: 2, measure: ratio("w3", "ms", "floor") },
  {
    figure: "w4: refused, lost or twice",
    unit: "",
    atMost: 0,
    measure: worst("w4", "refused", "lost", "dups"),
  },
  {
    figure: "w6: adoption of one session, p50",
    unit: " ms",
    atMost: 100,
    measure: own("w6@adopt", "adoptP50"),
  },
  {
    figure: "w6: start with holders, more per holder",
    unit: " ms",
    atMost: 100,
    measure: own("w6@adopt", "perHolderMs"),
  },
  {
    figure: "w6: 1,000 idle sessions, more memory",
    unit: " MB",
    atMost: 50,
    measure: own("w6@idle", "moreMb"),
  },
  {
    figure: "w6: attach to a live session, p50",
    unit: " ms",
    atMost: 5,
    measure: own("w6@attach", "attachP50"),
  },
  {
    figure: "w7: acknowledged and lost, deltas lost, twice or skipped",
    unit: "",
    atMost: 0,
    measure: worst("w7", "ackedLost", "lost", "dups", "gaps"),
  },
];

export const stream: Suite = {
  rounds: { full: 5, quick: 2 },
  workloads,
  tables,
  targets,
};
