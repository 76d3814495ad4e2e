/**
 * Runs long suites from a command line, `[--short] [--only a,b] [--seed N] [--results FILE]`:
 * prints their progress, and writes their results in the form that `npm run spec` reads.
 */

import { parseArgs } from "node:util";
import { countsOf, origin, writeResults } from "./results.ts";
import { seeded } from "./seeds.ts";
import type { Context, Result, Suite } from "./suite.ts";

export interface Running {
  /** The folder under `test/`, which is also the prefix of every line. */
  readonly name: string;
  readonly suites: readonly Suite[];
  readonly before?: () => Promise<void>;
  /** Ends and removes all processes and files of the suites; also called on exit by a signal. */
  readonly cleanUp: (how: "at leisure" | "now") => void | Promise<void>;
}

const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

export async function runSuites({ name, suites, before, cleanUp }: Running): Promise<void> {
  const { values: flags } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      only: { type: "string" },
      seed: { type: "string" },
      results: { type: "string" },
    },
  });
  const say = (line: string) => process.stdout.write(`${name}: ${line}\n`);
  const only = flags.only?.split(",");
  const unknown = only?.find((wanted) => !suites.some((suite) => suite.name === wanted));
  if (unknown !== undefined) {
    const names = suites.map((suite) => suite.name).join(", ");
    process.stderr.write(`${name}: there is no suite ${unknown}; there are ${names}\n`);
    await cleanUp("now");
    process.exit(EXIT_USAGE);
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      const leave = () => process.exit(EXIT_INTERRUPTED);
      Promise.resolve(cleanUp("now")).then(leave, leave);
    });
  }

  const seed = flags.seed === undefined ? Math.floor(Date.now() % 2 ** 31) : Number(flags.seed);
  const results: Result[] = [];
  const started = performance.now();
  const begun = origin();
  say(`${flags.short ? "short" : "long"} form, seed ${seed}`);
  try {
    await before?.();
    for (const suite of suites) {
      if (!(only?.includes(suite.name) ?? true)) continue;
      await suite.run(contextOf(suite, { seed, short: flags.short }, results, say));
    }
  } finally {
    await cleanUp("at leisure");
  }
  if (flags.results !== undefined) writeResults(flags.results, name, results, { seed, begun });
  for (const { suite, title, status, seconds } of results) {
    say(`${status.padEnd(8)}${seconds.toFixed(1).padStart(7)} s  ${suite}: ${title}`);
  }
  say(`seed ${seed}, ${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
  const { passed, failed, skipped } = countsOf(results);
  process.exitCode = failed === 0 ? 0 : 1;
  process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}

function contextOf(
  suite: Suite,
  { seed, short }: Pick<Context, "seed" | "short">,
  results: Result[],
  sayOf: (line: string) => void,
): Context {
  const from = performance.now();
  let shown = from;
  const say = (line: string) => sayOf(`${suite.name}: ${line}`);
  return {
    short,
    seed,
    random: seeded(seed ^ hash(suite.name)),
    say,
    async test(title, body) {
      const start = performance.now();
      say(`${title}…`);
      const failures = await body().catch((error: Error) => [error.stack ?? String(error)]);
      const seconds = (performance.now() - start) / 1000;
      const status = failures.length === 0 ? "passed" : "failed";
      results.push({ suite: suite.name, title, status, failures, seconds });
      say(`${status} in ${seconds.toFixed(1)} s`);
      for (const failure of failures.slice(0, 10)) sayOf(`  ${failure}`);
    },
    skip(title, why) {
      say(`SKIPPED, not passed: ${title} (${why})`);
      results.push({ suite: suite.name, title, status: "skipped", failures: [why], seconds: 0 });
    },
    progress(done, of) {
      const now = performance.now();
      if (now - shown < 10_000 && done < of) return;
      if (now - shown < 2000) return;
      shown = now;
      say(`${done} of ${of} points, ${((now - from) / 1000).toFixed(0)} s`);
    },
  };
}

function hash(text: string): number {
  return [...text].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 7);
}
