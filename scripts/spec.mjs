// Holds the suites' results against docs/spec: an id is met when a test that names it in brackets
// passed and none that names it failed; an [N] id when a line of the documentation carries it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values: options } = parseArgs({
  options: {
    docs: { type: "string", default: join(root, "docs") },
    results: { type: "string", default: join(root, ".results") },
  },
});

const LISTS = ["promises.md", "failure-modes.md", "requirements.md"];
const GROUPS = [
  { name: "promises", pattern: /^P\d+$/, size: 41 },
  { name: "failure modes", pattern: /^F\d+$/, size: 47 },
  { name: "complaints", pattern: /^U\d+$/, size: 25 },
  { name: "attacks", pattern: /^S\d+$/, size: 18 },
  { name: "requirements", pattern: /^R(\d{3}|X)-\d+$/, size: 313 },
];
const ENTRY = /^- \*\*([A-Z]+\d*(?:-\d+)?)\*\* \[(T|U|UI|S|N)\] \S/;
const BRACKETED = /\[((?:R\d{3}|RX)-\d+|[PFUS]\d+)\]/g;
const WIDTH = 100;

const say = (line = "") => process.stdout.write(`${line}\n`);

class SpecError extends Error {}

/** Every id of the three lists, in their order, with its mark and the heading it stands under. */
function readSpec(docs) {
  const entries = new Map();
  for (const list of LISTS) {
    const file = join(docs, "spec", list);
    let heading = list;
    for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
      if (line.startsWith("## ")) heading = line.slice(3);
      if (!line.startsWith("- **")) continue;
      const match = ENTRY.exec(line);
      if (!match) throw new SpecError(`${list}:${index + 1} is not \`- **ID** [mark] sentence\``);
      const [, id, mark] = match;
      if (entries.has(id)) throw new SpecError(`${list}:${index + 1} lists ${id} a second time`);
      entries.set(id, { mark, heading });
    }
  }
  for (const { name, pattern, size } of GROUPS) {
    const found = [...entries.keys()].filter((id) => pattern.test(id)).length;
    if (found !== size) throw new SpecError(`docs/spec lists ${found} ${name}, not ${size}`);
  }
  return entries;
}

/** What the tests naming an id came to: passed, failed, or neither when all were skipped. */
function readResults(folder) {
  const verdicts = new Map();
  const files = existsSync(folder) ? readdirSync(folder).filter((f) => f.endsWith(".json")) : [];
  for (const name of files.sort()) {
    const { testResults } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    if (!Array.isArray(testResults)) {
      say(`spec: ${name} holds no test results, ignored`);
      continue;
    }
    for (const test of testResults.flatMap((suite) => suite.assertionResults)) {
      for (const [, id] of (test.fullName ?? test.title).matchAll(BRACKETED)) {
        const verdict = verdicts.get(id) ?? { passed: false, failed: false };
        if (test.status === "passed") verdict.passed = true;
        if (test.status === "failed") verdict.failed = true;
        verdicts.set(id, verdict);
      }
    }
  }
  if (files.length === 0) say("spec: no results yet, run `npm test` first");
  return verdicts;
}

function readDocumented(docs) {
  const lists = LISTS.map((list) => join("spec", list));
  const ids = new Set();
  for (const entry of readdirSync(docs, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !entry.name.endsWith(".md")) continue;
    if (lists.includes(relative(docs, file))) continue;
    for (const [, id] of readFileSync(file, "utf8").matchAll(BRACKETED)) ids.add(id);
  }
  return ids;
}

function judge(spec, verdicts, documented) {
  const met = new Set();
  const failed = new Set();
  for (const [id, { mark }] of spec) {
    const { passed = false, failed: broken = false } = verdicts.get(id) ?? {};
    if (broken) failed.add(id);
    else if (mark === "N" ? documented.has(id) : passed) met.add(id);
  }
  return { met, failed };
}

function wrap(words) {
  const lines = [""];
  for (const word of words) {
    if (lines.at(-1).length + word.length + 3 > WIDTH) lines.push("");
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.map((line) => ` ${line}`);
}

function printUnmet(spec, met, failed) {
  const open = [...spec.keys()].filter((id) => !met.has(id));
  const byHeading = Map.groupBy(open, (id) => spec.get(id).heading);
  for (const [heading, ids] of byHeading) {
    say(`${heading}: ${ids.length} not met`);
    for (const line of wrap(ids.map((id) => (failed.has(id) ? `${id}(failed)` : id)))) say(line);
  }
}

function main() {
  const spec = readSpec(options.docs);
  const verdicts = readResults(options.results);
  const { met, failed } = judge(spec, verdicts, readDocumented(options.docs));
  printUnmet(spec, met, failed);
  const unknown = [...verdicts.keys()].filter((id) => !spec.has(id));
  if (unknown.length > 0) say(`spec: tests name ids that no list has: ${unknown.join(" ")}`);
  say();
  for (const { name, pattern, size } of GROUPS) {
    const count = [...met].filter((id) => pattern.test(id)).length;
    say(name === "requirements" ? `met ${count} of ${size}` : `${name} met ${count} of ${size}`);
  }
}

try {
  main();
} catch (error) {
  if (!(error instanceof SpecError)) throw error;
  process.stderr.write(`spec: ${error.message}\n`);
  process.exitCode = 1;
}
