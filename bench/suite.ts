/** The parts of a benchmark: workloads, tables for its figures, and targets. */

import type { CellResult } from "./results.ts";
import type { Spread } from "./stats.ts";

export interface Seed {
  readonly module: string;
  readonly options: Readonly<Record<string, number>>;
}

export interface Workload {
  /** Name in the report, for example `append@100`. */
  readonly name: string;
  readonly module: string;
  /** Peers, measured one after the other in each round. */
  readonly peers: readonly string[];
  readonly options: Readonly<Record<string, number>>;
  readonly seed?: Seed;
  /** Runs in the first round only, because its counts do not vary. */
  readonly once?: true;
}

export type Columns = readonly (readonly [metric: string, title: string])[];

export interface Table {
  readonly workload: string;
  readonly text: string;
  readonly columns: Columns;
  /**
   * Comparison with the floor: by default a multiple, "−" for a difference when the floor is part
   * of a peer's work.
   */
  readonly beside?: "−";
}

export interface Target {
  readonly figure: string;
  readonly unit: string;
  readonly measure: (cells: readonly CellResult[]) => Spread | null;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Suite {
  readonly rounds: { readonly full: number; readonly quick: number };
  workloads(isQuick: boolean): readonly Workload[];
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}
