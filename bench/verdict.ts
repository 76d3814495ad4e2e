/** The figures to reach, each held against what was measured. */

import type { CellResult } from "./results.ts";
import type { Spread } from "./stats.ts";
import type { Target } from "./suite.ts";

export interface Verdict {
  readonly figure: string;
  readonly reach: string;
  readonly measured: Spread;
  readonly unit: string;
  readonly met: boolean;
}

/** Judged by the median; the spread stands beside it. Figures that were not measured are left out. */
export function verdicts(targets: readonly Target[], cells: readonly CellResult[]): Verdict[] {
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
