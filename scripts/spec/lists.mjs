// Reads docs/spec: the lines, the open ones, and the sentences that meet [N] lines.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const LISTS = ["promises.md", "failure-modes.md", "requirements.md"];
export const GROUPS = [
  { name: "promises", pattern: /^P\d+$/, size: 41 },
  { name: "failure modes", pattern: /^F\d+$/, size: 47 },
  { name: "complaints", pattern: /^U\d+$/, size: 25 },
  { name: "attacks", pattern: /^S\d+$/, size: 18 },
  { name: "requirements", pattern: /^R(\d{3}|X)-\d+$/, size: 321 },
];
const ENTRY = /^- \*\*([A-Z]+\d*(?:-\d+)?)\*\* \[(T|U|UI|S|N)\] (\S.*)/;
const OPEN = /^- \*\*([A-Z]+\d*(?:-\d+)?)\*\* (\S.*)/;
export const BRACKETED = /\[((?:R\d{3}|RX)-\d+|[PFUS]\d+)\]/g;

export class SpecError extends Error {}

/** All ids of the three lists, in order, with mark, text and heading. */
export function readSpec(docs) {
  const entries = new Map();
  for (const list of LISTS) {
    let heading = list;
    for (const [index, line] of linesOf(join(docs, "spec", list))) {
      if (line.startsWith("## ")) heading = line.slice(3);
      if (!line.startsWith("- **")) continue;
      const [, id, mark, text] = ENTRY.exec(line) ?? [];
      const at = `${list}:${index + 1}`;
      if (id === undefined) throw new SpecError(`${at} is not \`- **ID** [mark] sentence\``);
      if (entries.has(id)) throw new SpecError(`${at} lists ${id} a second time`);
      entries.set(id, { mark, text, heading });
    }
  }
  for (const { name, pattern, size } of GROUPS) {
    const found = [...entries.keys()].filter((id) => pattern.test(id)).length;
    if (found !== size) throw new SpecError(`docs/spec lists ${found} ${name}, not ${size}`);
  }
  return entries;
}

/**
 * The lines of open.md: each id with the part that will meet it, and the reason why it is still
 * open.
 */
export function readOpen(docs, spec) {
  const file = join(docs, "spec", "open.md");
  const open = new Map();
  if (!existsSync(file)) return open;
  let part = "";
  for (const [index, line] of linesOf(file)) {
    if (line.startsWith("## ")) part = line.slice(3);
    if (!line.startsWith("- **")) continue;
    const [, id, why] = OPEN.exec(line) ?? [];
    if (!spec.has(id)) throw new SpecError(`open.md:${index + 1} names no line of docs/spec`);
    open.set(id, { part, why });
  }
  return open;
}

/** For each bracketed id of the documentation outside the lists: its file and its sentence. */
export function readSentences(docs) {
  const lists = LISTS.map((list) => join("spec", list));
  const sentences = new Map();
  for (const name of readdirSync(docs, { recursive: true }).map(String).sort()) {
    if (!name.endsWith(".md") || lists.includes(name)) continue;
    const text = readFileSync(join(docs, name), "utf8");
    for (const match of text.matchAll(BRACKETED)) {
      const line = text.slice(0, match.index).split("\n").length;
      const said = sentences.get(match[1]) ?? [];
      said.push({
        where: `${relative(".", name)}:${line}`,
        sentence: paragraph(text, match.index),
      });
      sentences.set(match[1], said);
    }
  }
  return sentences;
}

/** The paragraph or list item around a position, on one line. */
function paragraph(text, at) {
  const before = text.slice(0, at);
  const start = Math.max(before.lastIndexOf("\n\n") + 1, before.lastIndexOf("\n- ") + 1, 0);
  const rest = text.slice(at);
  const ends = ["\n\n", "\n- "].map((mark) => rest.indexOf(mark)).filter((end) => end >= 0);
  const end = ends.length === 0 ? text.length : at + Math.min(...ends);
  return text
    .slice(start, end)
    .replace(/^\s*- /, "")
    .replace(/\s+/g, " ")
    .trim();
}

const linesOf = (file) => readFileSync(file, "utf8").split("\n").entries();
