/** The page in a real browser: its loading time, the cost of watching, and its size. */

import { own, ratioOf } from "../results.ts";
import type { Suite, Table, Target, Workload } from "../suite.ts";

function workloads(isQuick: boolean): Workload[] {
  const seconds = isQuick ? 5 : 30;
  return [
    {
      name: "first",
      module: "./cells/page-first.ts",
      peers: ["floor", "holdfast"],
      options: { loads: isQuick ? 3 : 9, slowdown: 4 },
      seed: { module: "./seeds/empty-page.ts", options: {} },
    },
    {
      name: "watch",
      module: "./cells/page-stream.ts",
      peers: ["holdfast"],
      options: { seconds, rate: 50 },
    },
    {
      name: "watch@4x",
      module: "./cells/page-stream.ts",
      peers: ["holdfast"],
      options: { seconds, rate: 50, slowdown: 4 },
    },
    {
      name: "parts",
      module: "./cells/page-parts.ts",
      peers: ["holdfast"],
      options: { few: 1000, many: isQuick ? 3000 : 10_000 },
    },
  ];
}

const watched = [
  ["share", "main thread busy %"],
  ["scriptShare", "in scripts %"],
  ["layoutShare", "in style and layout %"],
  ["longestMs", "longest task ms"],
  ["over50", "tasks over 50 ms"],
] as const;

const tables: readonly Table[] = [
  {
    workload: "first",
    text: "A session of 20 messages opened by its address with an empty cache, on a CPU made four times slower; beside it the least page in React, served the same way.",
    columns: [
      ["ms", "words on the screen p50 ms"],
      ["maxMs", "slowest ms"],
      ["kB", "fetched kB"],
    ],
  },
  {
    workload: "watch",
    text: "A phone-sized page watches an agent say 50 events a second: words, thoughts, and output of calls.",
    columns: watched,
  },
  { workload: "watch@4x", text: "The same on a CPU four times slower.", columns: watched },
  {
    workload: "parts",
    text: "One answer grows from 1,000 parts to 10,000 while it is watched; the heap after a collection.",
    columns: [
      ["fewMb", "heap at 1,000 MB"],
      ["manyMb", "heap at 10,000 MB"],
      ["bytesPerPart", "more heap per part bytes"],
      ["fewNodes", "elements at 1,000"],
      ["manyNodes", "elements at 10,000"],
    ],
  },
];

const targets: readonly Target[] = [
  {
    figure: "first: a session on the screen ÷ an empty React page",
    unit: "x",
    atMost: 1.5,
    measure: (cells) => ratioOf(cells, "first", "ms", ["holdfast", "floor"]),
  },
  { figure: "watch: main thread busy", unit: " %", atMost: 25, measure: own("watch", "share") },
  { figure: "watch: tasks over 50 ms", unit: "", atMost: 0, measure: own("watch", "over50") },
  {
    figure: "parts: elements at 10,000 ÷ at 1,000",
    unit: "x",
    atMost: 1.1,
    measure: own("parts", "nodesTimes"),
  },
  {
    figure: "parts: heap at 10,000 ÷ at 1,000",
    unit: "x",
    atMost: 1.5,
    measure: own("parts", "heapTimes"),
  },
];

export const page: Suite = { rounds: { full: 5, quick: 1 }, workloads, tables, targets };
