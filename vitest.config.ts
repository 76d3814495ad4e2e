import { defineConfig } from "vitest/config";

// Packages resolve to each other's sources, in the test process and in every worker it starts.
export default defineConfig({
  resolve: { conditions: ["holdfast-source"] },
  ssr: { resolve: { conditions: ["holdfast-source", "module", "node", "development|production"] } },
  test: {
    include: ["packages/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    execArgv: ["--conditions=holdfast-source"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A machine that does other things as well is slow, not wrong.
    expect: { poll: { timeout: 10_000 } },
  },
});
