import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests that hold a host to a time limit, and so run at most two at a time. */
const measured = [
  "packages/server/src/access/limits/limits.test.ts",
  "packages/server/src/holder/flood.test.ts",
  "packages/server/src/holder/orphans.test.ts",
  "test/hostile/limits.test.ts",
  "test/hostile/slow.test.ts",
];

/** A command keeps the host that it addresses for all its hints, so these need a process of their own. */
const commands = ["packages/cli/src/**/*.test.ts"];

const every = ["packages/**/*.test.ts", "test/**/*.test.ts"];
const never = ["**/node_modules/**", "**/dist/**"];

/** At least three workers, also on two cores: most tests wait for processes that they started. */
const maxWorkers = Math.max(3, availableParallelism() - 1);

// Packages resolve to each other's sources, in the test process and in every worker it starts.
export default defineConfig({
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source", "module", "node", "development|production"] } },
  test: {
    execArgv: ["--conditions=holdfast-source"],
    setupFiles: ["test/compile-cache.ts", "test/temporary.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Generous, because a busy machine is slow.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: every,
          exclude: [...never, ...measured, ...commands],
          // Files share a process, because loading the sources for each costs half a second of
          // processor time. So a test leaves modules, variables and the umask as it found them.
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "commands",
          include: commands,
          exclude: never,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "measured",
          include: measured,
          exclude: never,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
