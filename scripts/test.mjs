// `npm test`: all checks and short suites, and a last line with the result.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { originOf, stamp } from "./origin.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const results = join(root, ".results");
const bin = (name) => join(root, "node_modules", ".bin", name);
const total = { passed: 0, failed: 0, skipped: 0 };

const say = (line) => process.stdout.write(`test: ${line}\n`);

async function run(name, command, args) {
  say(`${name}…`);
  const started = Date.now();
  const failure = await failureOf(spawn(command, args, { cwd: root, stdio: "inherit" }));
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  say(failure ? `${name} FAILED in ${seconds} s (${failure})` : `${name} ok in ${seconds} s`);
  return failure === null;
}

/** Resolves to the reason why the process failed, or to null. */
function failureOf(child) {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(signal ?? (code === 0 ? null : `exit code ${code}`)),
    );
  });
}

async function check(name, command, args) {
  if (!(await run(name, command, args))) total.failed += 1;
}

function count(file) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of JSON.parse(readFileSync(file, "utf8")).testResults) {
    for (const { status } of suite.assertionResults) {
      counts[status === "passed" || status === "failed" ? status : "skipped"] += 1;
    }
    // A file that fails to load has no test results, but counts as a failure.
    if (suite.status === "failed" && suite.assertionResults.length === 0) counts.failed += 1;
  }
  return counts;
}

async function suite(name, file, command, args) {
  rmSync(file, { force: true });
  const ok = await run(name, command, args);
  // The long suites stamp their own results; stamping again adds no change.
  if (existsSync(file)) stamp(file, root, begun);
  const counts = existsSync(file) ? count(file) : { passed: 0, failed: 0, skipped: 0 };
  // An unhandled rejection or a crash of the suite is not in the test results, but counts as a
  // failure.
  if ((!ok || !existsSync(file)) && counts.failed === 0) counts.failed = 1;
  for (const key of Object.keys(total)) total[key] += counts[key];
}

mkdirSync(results, { recursive: true });
const begun = originOf(root);
say(`Node ${process.version}`);

/** The short form of a long suite. */
function short(name) {
  const file = join(results, `${name}.json`);
  const main = join(root, "test", name, "main.ts");
  return suite(`${name} suites, short form`, file, process.execPath, [
    "--conditions=holdfast-source",
    main,
    "--short",
    "--results",
    file,
  ]);
}

/** The named projects of vitest.config.ts. */
function vitest(name, ...projects) {
  const file = join(results, `${name}.json`);
  return suite(`${name} suites`, file, bin("vitest"), [
    "run",
    ...projects.map((project) => `--project=${project}`),
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ]);
}

function checks() {
  return Promise.all([
    check("lint", bin("biome"), ["check", "--error-on-warnings", "."]),
    check("types", bin("tsc"), ["-p", "tsconfig.check.json"]),
    check("words", process.execPath, ["scripts/words.mjs"]),
  ]);
}

/** They mostly wait for the disk and the browser, and so use the time that the vitest suites leave. */
async function besides() {
  await checks();
  for (const name of ["crash", "browser", "mutants"]) await short(name);
}

await run("system tools", process.execPath, ["scripts/system-tools.mjs"]);
await Promise.all([vitest("vitest", "together", "commands"), besides()]);
// Alone on the machine, because these tests hold a host to a time limit.
await vitest("measured", "measured");

process.exitCode = total.failed === 0 ? 0 : 1;
process.stdout.write(
  `tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`,
);
