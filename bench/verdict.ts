/** Compares the measured figures with their targets. */

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

/** Judges each target by the median, with the spread beside it. Unmeasured figures are left out. */
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
