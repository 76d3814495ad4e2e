/** The figures to reach, as issue 1 sets them, each held against what was measured. */

import { type CellResult, ratioOf, valuesOf } from "./results.ts";
import { type Spread, spreadOf } from "./stats.ts";

export interface Verdict {
  readonly figure: string;
  readonly reach: string;
  readonly measured: Spread;
  readonly unit: string;
  readonly met: boolean;
}

interface Target {
  readonly figure: string;
  readonly unit: string;
  readonly measure: (cells: readonly CellResult[]) => Spread | null;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const against = ["holdfast", "floor"] as const;
const own = (workload: string, metric: string) => (cells: readonly CellResult[]) => {
  const values = valuesOf(cells, workload, "holdfast", metric);
  return values.length === 0 ? null : spreadOf(values);
};

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

/** Judged by the median; the spread stands beside it. Figures that were not measured are left out. */
export function verdicts(cells: readonly CellResult[]): Verdict[] {
  return targets.flatMap(({ figure, unit, measure, atLeast, atMost }) => {
    const measured = measure(cells);
    if (measured === null) return [];
    const met =
      measured.median >= (atLeast ?? Number.NEGATIVE_INFINITY) &&
      measured.median <= (atMost ?? Number.POSITIVE_INFINITY);
    const reach = atLeast === undefined ? `≤ ${atMost}${unit}` : `≥ ${atLeast}${unit}`;
    return [{ figure, reach, measured, unit, met }];
  });
}
