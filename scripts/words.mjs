/**
 * Checks the comments of all sources: at most 2 % may begin with a vague word. Part of `npm run check`;
 * `--list` prints the comments found.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { LIMIT, vagueComments } from "./words/comments.mjs";

const patterns = ["*.ts", "*.tsx", "*.mts", "*.mjs"];
const paths = execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" });
const sources = paths
  .trim()
  .split("\n")
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const { comments, vague, isRefused } = vagueComments(sources);
const share = ((100 * vague.length) / comments).toFixed(1);
process.stdout.write(
  `words: ${vague.length} of ${comments} comments (${share} %) begin with a vague word; at most ${100 * LIMIT} % may\n`,
);
if (isRefused || process.argv.includes("--list")) {
  for (const { path, line, text } of vague) process.stdout.write(`  ${path}:${line}: ${text}\n`);
}
if (isRefused) {
  process.stdout.write(
    "words: begin with the thing that the comment is about, then say what it does\n",
  );
  process.exitCode = 1;
}
