/** The workloads and their cells: what runs in each round, and how long. */

export interface Scale {
  readonly rounds: number;
  readonly options: Readonly<Record<string, number>>;
  readonly boot: { readonly sessions: number; readonly runs: number };
}

export const scales = {
  full: {
    rounds: 5,
    options: { warmup: 1, seconds: 4 },
    boot: { sessions: 100_000, runs: 1_000 },
  },
  /** To see that everything runs; too short to say how fast. */
  quick: {
    rounds: 2,
    options: { warmup: 0.3, seconds: 1 },
    boot: { sessions: 10_000, runs: 100 },
  },
} as const satisfies Record<string, Scale>;

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
}

export function workloads({ options, boot }: Scale): Workload[] {
  const replay = { module: "./seeds/replay.ts", options: { events: 100_000 } };
  const append = (sessions: number, peers: string[]): Workload => ({
    name: `append@${sessions}`,
    module: "./cells/append.ts",
    peers,
    options: { ...options, sessions },
  });
  return [
    append(1, ["floor", "holdfast", "product"]),
    append(100, ["floor", "holdfast", "product", "driver"]),
    append(1000, ["floor", "holdfast", "product"]),
    {
      name: "replay",
      module: "./cells/replay.ts",
      peers: ["floor", "holdfast"],
      options: { events: 100_000 },
      seed: replay,
    },
    {
      name: "followers",
      module: "./cells/followers.ts",
      peers: ["holdfast"],
      options: { ...options, sessions: 100, events: 100_000, followers: 50 },
      seed: replay,
    },
    {
      name: "boot",
      module: "./cells/boot.ts",
      peers: ["holdfast"],
      options: boot,
      seed: { module: "./seeds/boot.ts", options: boot },
    },
  ];
}
