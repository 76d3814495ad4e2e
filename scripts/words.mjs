/**
 * Checks the words of all sources: at most 2 % of the comments begin with a vague word, and no two
 * files of a package export different things under one name. Part of `npm run check`; `--list` prints
 * the comments found.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { LIMIT, vagueComments } from "./words/comments.mjs";
import { sharedNames } from "./words/names.mjs";

const patterns = ["*.ts", "*.tsx", "*.mts", "*.mjs"];
const paths = execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" });
const sources = paths
  .trim()
  .split("\n")
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const say = (line) => process.stdout.write(`${line}\n`);

const { comments, vague, isRefused } = vagueComments(sources);
const share = ((100 * vague.length) / comments).toFixed(1);
say(
  `words: ${vague.length} of ${comments} comments (${share} %) begin with a vague word; at most ${100 * LIMIT} % may`,
);
if (isRefused || process.argv.includes("--list")) {
  for (const { path, line, text } of vague) say(`  ${path}:${line}: ${text}`);
}
if (isRefused) {
  say("words: begin with the thing that the comment is about, then say what it does");
  process.exitCode = 1;
}

const { exported, shared } = sharedNames(sources);
say(`words: ${shared.length} of ${exported} exported names are shared in a package; none may be`);
for (const { name, paths } of shared) say(`  ${name}: ${paths.join(", ")}`);
if (shared.length > 0) {
  say("words: name each thing for what it is");
  process.exitCode = 1;
}
