/** What a benchmark is made of: workloads, how its figures are shown, and which it should reach. */

import type { CellResult } from "./results.ts";
import type { Spread } from "./stats.ts";

export interface Seed {
  readonly module: string;
  readonly options: Readonly<Record<string, number>>;
}

export interface Workload {
  /** As the report names it, for example `append@100`. */
  readonly name: string;
  readonly module: string;
  /** Measured one after the other within each round. */
  readonly peers: readonly string[];
  readonly options: Readonly<Record<string, number>>;
  readonly seed?: Seed;
  /** In the first round alone: what it counts does not spread. */
  readonly once?: true;
}

export type Columns = readonly (readonly [metric: string, title: string])[];

export interface Table {
  readonly workload: string;
  readonly text: string;
  readonly columns: Columns;
  /** How peers stand beside the floor: as a multiple of it, unless it is part of what they do. */
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
