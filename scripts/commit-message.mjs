// Checks that a commit's first line is `scope: imperative sentence`. As a hook it gets the path of
// the message: `node scripts/commit-message.mjs PATH`. Plain syntax, for the machine's own Node.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export const LONGEST = 100;

/** Subjects that git writes by itself. */
const ofGit = /^(Merge |Revert "|(fixup|squash|amend)! )/;
const shape = /^[a-z][a-z0-9-]*(, [a-z][a-z0-9-]*)*: (\S.*)$/;

/** Words that begin a statement or a name instead of a request. */
const noVerb =
  /^(an?|the|all|any|each|every|no|none|only|some|this|these|when|where|what|whoever|how|if)$/;
const past =
  /^(was|were|did|made|wrote|got|kept|went|took|gave|told|said|held|ran|began|built|sent|lost|brought)$/;
const inflected = /(ing|ed|s)$/;
/** Imperatives that only look inflected. */
const plain =
  /^(bring|ring|sing|swing|spring|string|ping|need|feed|seed|speed|shed|embed|proceed|exceed|focus|alias|bias|.*ss)$/;

/** The reasons why a message is refused; empty when it is fine. */
export function messageProblems(message) {
  const [subject = ""] = message.split("\n").filter((line) => !line.startsWith("#"));
  if (ofGit.test(subject)) return [];
  const [, , sentence] = shape.exec(subject) ?? [];
  if (sentence === undefined) return ["begin with a scope: `journal: cut a torn tail`"];
  const [verb = ""] = sentence.split(/[\s,]/);
  const problems = [];
  if (noVerb.test(verb) || past.test(verb) || (inflected.test(verb) && !plain.test(verb))) {
    problems.push(`write an imperative in place of "${verb}": \`add\`, not adds, added or adding`);
  }
  if (sentence.includes(";")) problems.push('make two commits of two ideas that ";" joins');
  if (sentence.endsWith(".")) problems.push("leave out the dot at the end");
  if (subject.length > LONGEST) {
    problems.push(`use at most ${LONGEST} characters; these are ${subject.length}`);
  }
  return problems;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = messageProblems(readFileSync(process.argv[2], "utf8"));
  for (const problem of problems) process.stderr.write(`commit message: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
