/** Results in the form that `npm run spec` reads. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Origin, originOf, since } from "../../scripts/origin.mjs";
import type { Result } from "./suite.ts";

export function countsOf(results: readonly Result[]): Record<Result["status"], number> {
  const count = (status: Result["status"]) => results.filter((r) => r.status === status).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Identifies the tested version; called before the first test runs. */
export const origin = (): Origin => originOf(root);

/** `name` is the folder under `test/`. */
export function writeResults(
  file: string,
  name: string,
  results: readonly Result[],
  more: { readonly seed?: number; readonly begun: Origin },
): void {
  const assertionResults = results.map(({ suite, title, status, failures }) => ({
    title,
    fullName: `${name} ${suite} ${title}`,
    status,
    ...(status === "failed" ? { failureMessages: failures } : {}),
  }));
  const { passed, failed, skipped } = countsOf(results);
  const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped };
  mkdirSync(dirname(resolve(file)), { recursive: true });
  const { begun, ...rest } = more;
  const signed = { ...rest, origin: since(begun, origin()) };
  const said = { testResults: [{ name: `test/${name}`, assertionResults }], ...counts, ...signed };
  writeFileSync(file, JSON.stringify(said));
}
