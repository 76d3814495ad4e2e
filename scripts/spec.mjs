// Compares the suites' results with docs/spec. An id is met when a test of its kind that names it
// in brackets passed and all that name it passed; an [N] id when a sentence of the documentation
// carries it. Only results of the present commit count, and only those that this checkout wrote
// without uncommitted changes; with --dirty also those with such changes, for work in progress.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { originOf } from "./origin.mjs";
import { suffices } from "./spec/kinds.mjs";
import { GROUPS, readOpen, readSentences, readSpec, SpecError } from "./spec/lists.mjs";
import { readFiles, verdictsOf } from "./spec/results.mjs";

const { values: options } = parseArgs({
  options: {
    dirty: { type: "boolean", default: false },
    root: { type: "string", default: join(dirname(fileURLToPath(import.meta.url)), "..") },
  },
});
const WIDTH = 100;

const say = (line = "") => process.stdout.write(`${line}\n`);

function readVerdicts(root, countDirty) {
  const origin = originOf(root);
  if (origin.commit === null) {
    throw new SpecError("this is no git checkout, so no result can be of its present commit");
  }
  const files = readFiles(join(root, ".results"), origin);
  const isDirty = ({ why, content }) => why === null && content.origin.dirty;
  for (const file of files) {
    const { name, why } = file;
    if (why !== null) say(`spec: ${name} ${why}, ignored`);
    else if (isDirty(file)) {
      const fate = countDirty ? "counted" : "ignored (--dirty counts it)";
      say(`spec: ${name} was written with uncommitted changes, ${fate}`);
    }
  }
  const counted = files
    .filter((file) => file.why === null && (countDirty || !isDirty(file)))
    .map(({ content }) => content);
  if (counted.length === 0) say("spec: no results of this commit yet, run `npm test` first");
  return verdictsOf(root, counted);
}

/** For each id: `met`, or the reason why not. */
function judge(spec, verdicts, sentences) {
  return new Map(
    [...spec].map(([id, { mark }]) => {
      const { failed = false, kinds = new Set() } = verdicts.get(id) ?? {};
      if (failed) return [id, "failed"];
      if (mark === "N") return [id, sentences.has(id) ? "met" : "not met"];
      if ([...kinds].some((kind) => suffices(mark, kind))) return [id, "met"];
      if (kinds.size === 0) return [id, "not met"];
      return [id, mark === "UI" ? "no browser test" : "no test with a host or a store"];
    }),
  );
}

function wrap(words) {
  const lines = [""];
  for (const word of words) {
    if (lines.at(-1).length + word.length + 3 > WIDTH) lines.push("");
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.map((line) => ` ${line}`);
}

function grouped(ids, keyOf) {
  const groups = new Map();
  for (const id of ids) groups.set(keyOf(id), [...(groups.get(keyOf(id)) ?? []), id]);
  return groups;
}

function printSentences(spec, sentences) {
  const ids = [...spec.keys()].filter((id) => spec.get(id).mark === "N" && sentences.has(id));
  if (ids.length === 0) return;
  say("Met by a sentence, not by a test (judge for yourself):");
  for (const id of ids) {
    say(`  ${id} ${spec.get(id).text}`);
    for (const { where, sentence } of sentences.get(id)) say(`    docs/${where} ${sentence}`);
  }
  say();
}

function printUnmet(spec, judged, open) {
  const unmet = [...spec.keys()].filter((id) => judged.get(id) !== "met");
  for (const [heading, ids] of grouped(unmet, (id) => spec.get(id).heading)) {
    say(`${heading}: ${ids.length} not met`);
    const shown = (id) => (judged.get(id) === "not met" ? id : `${id}(${judged.get(id)})`);
    for (const line of wrap(ids.map(shown))) say(line);
  }
  if (open.size === 0) return;
  const planned = unmet.filter((id) => open.has(id));
  for (const [part, ids] of grouped(planned, (id) => open.get(id).part)) {
    say(`open until ${part}: ${ids.length}`);
    for (const line of wrap(ids)) say(line);
  }
  const unplanned = unmet.filter((id) => !open.has(id));
  if (unplanned.length > 0) say("not met, and not listed in docs/spec/open.md:");
  if (unplanned.length > 0) for (const line of wrap(unplanned)) say(line);
  const done = [...open.keys()].filter((id) => judged.get(id) === "met");
  if (done.length > 0) say(`met, but still listed in docs/spec/open.md: ${done.join(" ")}`);
}

function printCounts(spec, judged) {
  const met = [...spec.keys()].filter((id) => judged.get(id) === "met");
  for (const { name, pattern, size } of GROUPS) {
    const ids = met.filter((id) => pattern.test(id));
    const said = ids.filter((id) => spec.get(id).mark === "N").length;
    if (said > 0) say(`by tests ${ids.length - said}, by a sentence ${said}`);
    say(
      name === "requirements"
        ? `met ${ids.length} of ${size}`
        : `${name} met ${ids.length} of ${size}`,
    );
  }
}

function main() {
  const docs = join(options.root, "docs");
  const spec = readSpec(docs);
  const open = readOpen(docs, spec);
  const sentences = readSentences(docs);
  const verdicts = readVerdicts(options.root, options.dirty);
  const judged = judge(spec, verdicts, sentences);
  printSentences(spec, sentences);
  printUnmet(spec, judged, open);
  const unknown = [...verdicts.keys()].filter((id) => !spec.has(id));
  if (unknown.length > 0) say(`spec: tests name ids that no list has: ${unknown.join(" ")}`);
  say();
  printCounts(spec, judged);
}

try {
  main();
} catch (error) {
  if (!(error instanceof SpecError)) throw error;
  process.stderr.write(`spec: ${error.message}\n`);
  process.exitCode = 1;
}
