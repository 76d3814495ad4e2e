// Reads result files: the results of the tests that name an id, by kind of proof.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { kindOf } from "./kinds.mjs";
import { BRACKETED } from "./lists.mjs";

/** Each file of the folder: its content, or the reason why it does not count. */
export function readFiles(folder, origin) {
  const names = existsSync(folder) ? readdirSync(folder).filter((f) => f.endsWith(".json")) : [];
  return names.sort().map((name) => {
    const content = parsed(readFileSync(join(folder, name), "utf8"));
    if (!Array.isArray(content?.testResults)) return { name, why: "holds no test results" };
    return { name, content, why: strangeness(content.origin, origin) };
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The reason why results do not count; null for results of the present commit and this checkout.
 */
function strangeness(from, origin) {
  if (from?.commit == null) return "does not say which commit it is of";
  if (from.checkout !== origin.checkout) return "was written by another checkout";
  if (from.commit !== origin.commit) return `is of another commit (${from.commit.slice(0, 7)})`;
  return null;
}

/** For each id: whether a test failed, and the kinds of proof that passed. */
export function verdictsOf(root, contents) {
  const verdicts = new Map();
  const of = (id) => {
    const known = verdicts.get(id) ?? { failed: false, kinds: new Set() };
    verdicts.set(id, known);
    return known;
  };
  for (const suite of contents.flatMap(({ testResults }) => testResults)) {
    const file = isAbsolute(suite.name ?? "") ? relative(root, suite.name) : (suite.name ?? "");
    const kind = kindOf(root, file);
    for (const id of idsOfUnloaded(root, file, suite)) of(id).failed = true;
    for (const { id, statuses } of namings(suite.assertionResults ?? [])) {
      if (statuses.includes("failed")) of(id).failed = true;
      else if (statuses.every((status) => status === "passed")) of(id).kinds.add(kind);
      else of(id);
    }
  }
  return verdicts;
}

/** The ids in a file that failed to load: it has no test results, so all of them failed. */
function idsOfUnloaded(root, file, { status, assertionResults = [] }) {
  if (status !== "failed" || assertionResults.length > 0) return [];
  const path = join(root, file);
  return existsSync(path) ? idsIn(readFileSync(path, "utf8")) : [];
}

/**
 * An id in a test's title stands for that test; one in the title of a `describe` stands for all
 * tests below, and counts when every one of them passed.
 */
function namings(tests) {
  const below = new Map();
  const found = [];
  for (const { title, fullName, ancestorTitles = [], status } of tests) {
    for (const id of idsIn(title ?? fullName ?? "")) found.push({ id, statuses: [status] });
    for (const [depth, ancestor] of ancestorTitles.entries()) {
      for (const id of idsIn(ancestor)) {
        const key = JSON.stringify([id, ...ancestorTitles.slice(0, depth + 1)]);
        const group = below.get(key) ?? { id, statuses: [] };
        group.statuses.push(status);
        below.set(key, group);
      }
    }
  }
  return [...found, ...below.values()];
}

const idsIn = (text) => [...text.matchAll(BRACKETED)].map(([, id]) => id);
