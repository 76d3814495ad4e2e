/** What a run leaves behind: every cell as measured, so that any other summary can be made later. */

import type { Metrics } from "./cell.ts";
import type { Machine } from "./machine.ts";
import { type Spread, spreadOf } from "./stats.ts";

export interface CellResult {
  readonly workload: string;
  readonly peer: string;
  readonly round: number;
  readonly metrics: Metrics;
}

export interface Results {
  readonly benchmark: string;
  readonly date: string;
  /** A quick or partial run is not kept as a result. */
  readonly complete: boolean;
  readonly rounds: number;
  readonly machine: Machine;
  readonly load: { readonly before: number; readonly after: number };
  readonly cells: readonly CellResult[];
  /** Peers that could not be measured here, with the reason. */
  readonly skipped?: readonly string[];
}

/** The values of one metric, one per round; empty when the workload or peer did not run. */
export function valuesOf(
  cells: readonly CellResult[],
  workload: string,
  peer: string,
  metric: string,
): number[] {
  return cells
    .filter((cell) => cell.workload === workload && cell.peer === peer)
    .toSorted((a, b) => a.round - b.round)
    .flatMap(({ metrics }) => metrics[metric] ?? []);
}

/** Peers of one round shared the machine's mood, so they are divided by each other, not by medians. */
export function ratioOf(
  cells: readonly CellResult[],
  workload: string,
  metric: string,
  [peer, base]: readonly [string, string],
): Spread | null {
  const over = valuesOf(cells, workload, base, metric);
  const ratios = valuesOf(cells, workload, peer, metric).map((value, i) => value / (over[i] ?? 0));
  return ratios.length === 0 || over.length !== ratios.length ? null : spreadOf(ratios);
}
