import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** What holds a host to a time, and must not be measured beside something else. */
const measured = [
  "packages/server/src/access/limits.test.ts",
  "packages/server/src/holder/flood.test.ts",
  "packages/server/src/holder/orphans.test.ts",
  "test/hostile/limits.test.ts",
  "test/hostile/slow.test.ts",
];

const never = ["**/node_modules/**", "**/dist/**"];

// Packages resolve to each other's sources, in the test process and in every worker it starts.
export default defineConfig({
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source", "module", "node", "development|production"] } },
  test: {
    execArgv: ["--conditions=holdfast-source"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A machine that does other things as well is slow, not wrong.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["packages/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...never, ...measured],
          // Two at least, also on two cores: most of them wait for processes that they started.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: measured,
          exclude: never,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
