/** A question as lines for a person; input fields that its format leaves out follow exactly. */

import {
  type AskedAgain,
  askedAgainWords,
  bytes,
  count,
  type Json,
  linesOf,
  type OwnOption,
  ownOptions,
  type Request,
  requestLine,
  requestOf,
  requestTitle,
} from "@holdfast/protocol";
import { toned, type Words } from "../output/words.ts";
import { restLines } from "./blob-words.ts";
import type { Question } from "./render.ts";
import { exactLines } from "./tool-words.ts";

export function questionLines(question: Question): Words[] {
  const { input, again, asker = null, large } = question;
  const request = requestIn(question);
  const lines =
    request.kind === "hidden" ? hiddenLines(large) : drawn(request, input).map(indented);
  return [
    [toned("needs", "? needs you"), ": ", toned("strong", questionTitle(question))],
    ...(asker === null ? [] : [toned("needs", `    ${asker}`)]),
    ...againLines(again),
    ...lines,
    ...optionLines(optionsOf(question)),
  ];
}

export const questionTitle = (question: Question): string =>
  requestTitle(requestIn(question), question);

export const questionLine = (question: Question): string =>
  requestLine(requestIn(question), question);

/** The agent's own options, when they say more than allow, always and deny. */
export function optionsOf(question: Question): readonly OwnOption[] {
  return ownOptions(question.options ?? [], requestIn(question).kind);
}

function requestIn({ input, large }: Question): Request {
  const { blob = null, preview = null } = large ?? {};
  return requestOf({ toolInput: input, inputBlob: blob, inputPreview: preview });
}

const indented = (line: Words): Words => ["    ", ...(Array.isArray(line) ? line : [line])];

/** Says clearly that an answer is given without reading all of the input. */
function hiddenLines(large: Question["large"]): Words[] {
  if (large === undefined) {
    const advice = "Deny it, and ask for smaller steps.";
    return [toned("needs", `    too large to show, so you cannot see what would run. ${advice}`)];
  }
  const { session, blob, preview } = large;
  return [
    toned(
      "needs",
      `    too large to show here (${bytes(blob.bytes)}). This is only the beginning:`,
    ),
    ...`${preview.slice(0, PREVIEW).toWellFormed()}…`.split("\n").map((line) => `    ${line}`),
    ...restLines(session, blob),
  ];
}

const PREVIEW = 500;

function againLines(again: AskedAgain | undefined): Words[] {
  if (again === undefined) return [];
  const files = (again.files ?? []).map((file) => `      ${file}`);
  return [toned("needs", `    ${askedAgainWords(again)}`), ...files];
}

function drawn(request: Request, input: Json): Words[] {
  if (request.kind === "other") return exactLines(input);
  const { rest } = request;
  return [...drawing(request), ...(rest.length === 0 ? [] : exactLines(Object.fromEntries(rest)))];
}

function drawing(request: Request): Words[] {
  switch (request.kind) {
    case "command": {
      const [first = "", ...more] = request.command.split("\n");
      const { folder } = request;
      const place = folder === null ? [] : [`in ${folder}`];
      return [[toned("strong", "$ "), first], ...more.map((line) => `  ${line}`), ...place];
    }
    case "edit": {
      const isOne = new Set(request.edits.map(({ path }) => path)).size === 1;
      return request.edits.flatMap((edit) => editLines(edit, isOne));
    }
    case "patch":
      return request.patch.split("\n");
    case "plan":
      return request.plan.split("\n");
    case "fetch":
      return [request.url];
    case "question":
      return request.questions.flatMap(({ question, choices }) => [
        ...question.split("\n"),
        ...choices.map(({ label, about }) => `· ${label}${about === "" ? "" : `: ${about}`}`),
      ]);
    default:
      return [];
  }
}

type EditOf = Extract<Request, { kind: "edit" }>["edits"][number];

/** `isNamed` is true when the question's title already has the path. */
function editLines({ path, before, after }: EditOf, isNamed: boolean): Words[] {
  const removed = linesOf(before ?? "");
  const added = linesOf(after);
  const endsDiffer = before !== null && lacksNewline(before) !== lacksNewline(after);
  const counts =
    before === null ? count(added.length, "line") : `+${added.length} −${removed.length} lines`;
  return [
    isNamed ? counts : `${path}: ${counts}`,
    ...removed.map((line): Words => [toned("lost", "- "), line]),
    ...(endsDiffer && lacksNewline(before) ? [NO_NEWLINE] : []),
    ...added.map((line): Words => [toned("alive", "+ "), line]),
    ...(endsDiffer && lacksNewline(after) ? [NO_NEWLINE] : []),
  ];
}

function optionLines(options: readonly OwnOption[]): Words[] {
  if (options.length === 0) return [];
  return [
    "    the agent offers:",
    ...options.map(({ name, decision }, i): Words => {
      return [
        `      ${i + 1}  ${name}`,
        toned("quiet", `  (${decision === "deny" ? "no" : "yes"})`),
      ];
    }),
  ];
}

/** The line that `diff` prints when only one of two texts ends without a newline. */
const NO_NEWLINE = "\\ No newline at end";

const lacksNewline = (text: string): boolean => text !== "" && !text.endsWith("\n");
