/** The file of a run: every cell as measured, so that other summaries can be made later. */

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
  /** False for a quick or partial run, which is not kept as a result. */
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

/** The host's own figure, without a comparison. */
export const own =
  (workload: string, metric: string) =>
  (cells: readonly CellResult[]): Spread | null => {
    const values = valuesOf(cells, workload, "holdfast", metric);
    return values.length === 0 ? null : spreadOf(values);
  };

/**
 * The ratio of two peers, taken per round because both peers of a round share the machine's load.
 */
export function ratioOf(
  cells: readonly CellResult[],
  workload: string,
  metric: string,
  pair: readonly [peer: string, base: string],
): Spread | null {
  return pairedOf(cells, workload, metric, pair, (value, base) => value / base);
}

/** The difference between two peers, also taken per round. */
export function differenceOf(
  cells: readonly CellResult[],
  workload: string,
  metric: string,
  pair: readonly [peer: string, base: string],
): Spread | null {
  return pairedOf(cells, workload, metric, pair, (value, base) => value - base);
}

function pairedOf(
  cells: readonly CellResult[],
  workload: string,
  metric: string,
  [peer, base]: readonly [string, string],
  pair: (value: number, base: number) => number,
): Spread | null {
  const over = valuesOf(cells, workload, base, metric);
  const pairs = valuesOf(cells, workload, peer, metric).map((value, i) =>
    pair(value, over[i] ?? 0),
  );
  return pairs.length === 0 || over.length !== pairs.length ? null : spreadOf(pairs);
}
