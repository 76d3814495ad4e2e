/**
 * The crash suites: `node --conditions=source test/crash/main.ts [--short] [--only a,b] [--seed N]
 * [--results FILE]`. They kill, starve and cut the power of the real product and hold what its next
 * life finds against what anyone was told.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { dismissAuditors } from "./audit.ts";
import { Driven, endAll, endAllNow, setCompileCache } from "./children.ts";
import { cleanUp, newFolder } from "./places.ts";
import { seeded } from "./seeds.ts";
import type { Context, Result, Suite } from "./suite.ts";
import { suites } from "./suites/index.ts";

const { values: flags } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string" },
    seed: { type: "string" },
    results: { type: "string" },
  },
});

const seed = flags.seed === undefined ? Math.floor(Date.now() % 2 ** 31) : Number(flags.seed);
const only = flags.only?.split(",");
const unknown = only?.find((name) => !suites.some((suite) => suite.name === name));
if (unknown !== undefined) {
  const names = suites.map((suite) => suite.name).join(", ");
  process.stderr.write(`crash: there is no suite ${unknown}; there are ${names}\n`);
  cleanUp();
  process.exit(2);
}

const results: Result[] = [];
const say = (line: string) => process.stdout.write(`crash: ${line}\n`);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    endAllNow();
    cleanUp();
    process.exit(130);
  });
}

setCompileCache(newFolder("compiled"));
const started = performance.now();
say(`${flags.short ? "short" : "long"} form, seed ${seed}`);
try {
  await warmUp();
  for (const suite of suites) if (only?.includes(suite.name) ?? true) await runSuite(suite);
} finally {
  await dismissAuditors();
  await endAll();
  cleanUp();
}
report();

/** Only a process that ends by itself leaves what it compiled; the killed ones live on this one's. */
async function warmUp(): Promise<void> {
  const folder = newFolder("warm");
  const job = { data: join(folder, "data"), records: join(folder, "records") };
  const host = new Driven({ ...job, work: { name: "boot", close: true } });
  const exit = await host.end(60_000);
  if (exit !== "0") throw new Error(`the product does not start: ${exit} ${host.stderr}`);
}

async function runSuite(suite: Suite): Promise<void> {
  const from = performance.now();
  let shown = from;
  const context: Context = {
    short: flags.short,
    seed,
    random: seeded(seed ^ hash(suite.name)),
    async test(title, body) {
      const start = performance.now();
      say(`${suite.name}: ${title}…`);
      const failures = await body().catch((error: Error) => [error.stack ?? String(error)]);
      const seconds = (performance.now() - start) / 1000;
      const status = failures.length === 0 ? "passed" : "failed";
      results.push({ suite: suite.name, title, status, failures, seconds });
      say(`${suite.name}: ${status} in ${seconds.toFixed(1)} s`);
      for (const failure of failures.slice(0, 10)) say(`  ${failure}`);
    },
    skip(title, why) {
      say(`${suite.name}: SKIPPED, not passed: ${title} (${why})`);
      results.push({ suite: suite.name, title, status: "skipped", failures: [why], seconds: 0 });
    },
    progress(done, of) {
      const now = performance.now();
      if (now - shown < 10_000 && done < of) return;
      if (now - shown < 2000) return;
      shown = now;
      say(`${suite.name}: ${done} of ${of} points, ${((now - from) / 1000).toFixed(0)} s`);
    },
  };
  await suite.run(context);
}

function hash(text: string): number {
  return [...text].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 7);
}

function report(): void {
  const count = (status: Result["status"]) => results.filter((r) => r.status === status).length;
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
  if (flags.results !== undefined) {
    const assertionResults = results.map(({ suite, title, status, failures }) => ({
      ...{ title, fullName: `crash ${suite} ${title}`, status },
      ...(status === "failed" ? { failureMessages: failures } : {}),
    }));
    const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped };
    mkdirSync(dirname(resolve(flags.results)), { recursive: true });
    writeFileSync(
      flags.results,
      JSON.stringify({ testResults: [{ name: "test/crash", assertionResults }], ...counts, seed }),
    );
  }
  for (const { suite, title, status, seconds } of results) {
    say(`${status.padEnd(8)}${seconds.toFixed(1).padStart(7)} s  ${suite}: ${title}`);
  }
  say(`seed ${seed}, ${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
  process.exitCode = failed === 0 ? 0 : 1;
  process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
