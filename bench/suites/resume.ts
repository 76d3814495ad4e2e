/**
 * The time that the host adds to an agent's own start and load, by rung. The floor is a bare client
 * that starts the same process; on rungs that start no process the host's own time stands alone.
 */

import { type Rung, rungs } from "@holdfast/protocol";
import { differenceOf, own } from "../results.ts";
import type { Columns, Suite, Table, Target, Workload } from "../suite.ts";

function workloads(isQuick: boolean): Workload[] {
  const resumes = isQuick ? 3 : 15;
  const bringing = (rung: Rung, options: Readonly<Record<string, number>> = {}) => ({
    name: rung as string,
    module: "./cells/resume.ts",
    peers: ["floor", "holdfast"],
    options: { rung: rungs.indexOf(rung) + 1, resumes, ...options },
  });
  return [
    { ...bringing("live", { resumes: resumes * 20, warmup: 20 }), peers: ["holdfast"] },
    {
      name: "adopted",
      module: "./cells/adoption.ts",
      peers: ["holdfast"],
      options: { holders: isQuick ? 4 : 20, turns: 10 },
    },
    bringing("native"),
    { ...bringing("native", { demo: 1 }), name: "native@demo" },
    { ...bringing("native", { turns: 500, resumes: isQuick ? 2 : 7 }), name: "native@1000" },
    bringing("injected"),
    bringing("fresh"),
  ];
}

const columns: Columns = [
  ["ms", "p50 ms"],
  ["maxMs", "slowest ms"],
  ["ownMs", "by the host's own word p50 ms"],
  ["startMs", "agent initialized p50 ms"],
];

const story = "a history of 20 messages with a tool call in every answer";

const tables: readonly Table[] = [
  {
    workload: "live",
    text: "A session that is up is asked to resume: one request, nothing to do.",
    columns: [
      ["ms", "p50 ms"],
      ["maxMs", "slowest ms"],
    ],
  },
  {
    workload: "adopted",
    text: `A killed host's holders, half of them at work, each with ${story}, taken over by the next. There is no floor: an agent that nobody lost needs nothing.`,
    columns: [
      ["adoptP50", "adoption p50 ms"],
      ["adoptMax", "adoption max ms"],
      ["perHolderMs", "more start per holder ms"],
      ["answerP50", "resume asked when ready, p50 ms"],
      ["readyMs", "start to ready ms"],
      ["emptyMs", "the same without holders ms"],
    ],
  },
  ...[
    [
      "native",
      `The agent loads its session, ${story}, and its replay is held against the journal.`,
    ],
    ["native@demo", "The same with the demo agent and ten turns of words alone."],
    ["native@1000", "The same with 1,000 messages: what the comparison grows to."],
    ["injected", "The agent starts a new session and is to be told the history."],
    ["fresh", "The agent starts a new session and is told nothing."],
  ].map(([workload = "", text = ""]) => ({ workload, text, columns, beside: "−" as const })),
];

const added = (workload: string): Target => ({
  figure: `${workload}: added to the agent's own, p50`,
  unit: " ms",
  atMost: 50,
  measure: (cells) => differenceOf(cells, workload, "ms", ["holdfast", "floor"]),
});

const targets: readonly Target[] = [
  {
    figure: "adopted: adoption of one session, p50",
    unit: " ms",
    atMost: 50,
    measure: own("adopted", "adoptP50"),
  },
  {
    figure: "adopted: more start per holder",
    unit: " ms",
    atMost: 50,
    measure: own("adopted", "perHolderMs"),
  },
  added("native"),
  added("native@demo"),
];

export const resume: Suite = { rounds: { full: 5, quick: 2 }, workloads, tables, targets };
