/**
 * A question as it is put to a person: drawn by what it would do, and complete. Whatever the drawing
 * leaves out of the input stands below it, exactly.
 */

import { type AskedAgain, canonicalJson, type Json } from "@holdfast/protocol";
import { restLines } from "./blob-words.ts";
import { shellWord } from "./hint.ts";
import type { Question } from "./render.ts";
import { exactInput } from "./tool-words.ts";
import { bytes, toned, type Words } from "./words.ts";

type Fields = Readonly<Record<string, Json>>;

/** What it would do in a few words, the lines to read, and the fields of the input they show. */
interface Drawing {
  readonly what: string;
  readonly lines: readonly Words[];
  readonly shows: readonly string[];
}

export function questionLines(question: Question): Words[] {
  const { toolName, input, again, options = [], large } = question;
  if (large !== undefined) return largeLines(toolName, large);
  const drawing = drawn(toolName, input);
  const rest = restOf(input, drawing.shows);
  return [
    [toned("needs", "? needs you"), ": ", toned("strong", drawing.what)],
    ...againLines(again),
    ...drawing.lines.map((line): Words => ["    ", ...(Array.isArray(line) ? line : [line])]),
    ...(rest === null ? [] : exactInput(rest).map((line) => `    ${line}`)),
    ...optionLines(options),
  ];
}

/** Never as if it were shown: what somebody answers then, they answer without having read it. */
function largeLines(
  toolName: string,
  { session, blob, preview }: NonNullable<Question["large"]>,
): Words[] {
  return [
    [toned("needs", "? needs you"), ": ", toned("strong", toolName)],
    toned("needs", `    an input too large to show here (${bytes(blob.bytes)}). It begins with`),
    ...`${preview.slice(0, PREVIEW).toWellFormed()}…`.split("\n").map((line) => `    ${line}`),
    ...restLines(session, blob),
  ];
}

const PREVIEW = 500;

function againLines(again: AskedAgain | undefined): Words[] {
  if (again === undefined) return [];
  const files = (again.files ?? []).map((file) => `      ${file}`);
  return [toned("needs", `    ${againWords[again.reason]}`), ...files];
}

const againWords: Readonly<Record<AskedAgain["reason"], string>> = {
  input_changed: "this is not what was approved before",
  input_unknown: "you answered one like it before; the agent does not say whether this is the same",
  files_changed: "you answered this before, but files have changed since",
  files_unknown: "you answered this before; whether files changed since could not be checked",
};

function drawn(toolName: string, input: Json): Drawing {
  const fields = isFields(input) ? input : {};
  for (const draw of drawings) {
    const drawing = draw(toolName, fields);
    if (drawing !== null) return drawing;
  }
  return { what: `${toolName} wants to run with`, lines: [], shows: [] };
}

const drawings: readonly ((toolName: string, fields: Fields) => Drawing | null)[] = [
  command,
  edit,
  write,
  plan,
  questions,
  address,
];

/** `{"command": "npm test", "cwd": "/app"}`; some agents send the command as words, each quoted where it needs it. */
function command(_name: string, { command, cwd, description }: Fields): Drawing | null {
  const text =
    Array.isArray(command) && command.every(isText) ? command.map(shellWord).join(" ") : command;
  if (!isText(text) || text === "") return null;
  const [first = "", ...more] = text.split("\n");
  const said = isText(description) ? description.split("\n") : [];
  return {
    what: "run a command",
    lines: [
      [toned("strong", "$ "), first],
      ...more.map((line) => `  ${line}`),
      ...(isText(cwd) ? [`in ${cwd}`] : []),
      ...said.map((line) => `it says: ${line}`),
    ],
    shows: [
      "command",
      ...(isText(cwd) ? ["cwd"] : []),
      ...(said.length > 0 ? ["description"] : []),
    ],
  };
}

/** `{"file_path": …, "old_string": …, "new_string": …}`, under the names that agents give them. */
function edit(_name: string, fields: Fields): Drawing | null {
  const path = firstOf(fields, ["file_path", "path", "filePath"]);
  const before = firstOf(fields, ["old_string", "oldText", "oldString", "old_text"]);
  const after = firstOf(fields, ["new_string", "newText", "newString", "new_text"]);
  if (path === null || before === null || after === null) return null;
  const removed = linesOf(before.text);
  const added = linesOf(after.text);
  const endsDiffer = lacksNewline(before.text) !== lacksNewline(after.text);
  return {
    what: `change ${path.text} (+${added.length} −${removed.length} lines)`,
    lines: [
      ...removed.map((line): Words => [toned("bad", "- "), line]),
      ...(endsDiffer && lacksNewline(before.text) ? [NO_NEWLINE] : []),
      ...added.map((line): Words => [toned("alive", "+ "), line]),
      ...(endsDiffer && lacksNewline(after.text) ? [NO_NEWLINE] : []),
    ],
    shows: [path.name, before.name, after.name],
  };
}

function write(_name: string, fields: Fields): Drawing | null {
  const path = firstOf(fields, ["file_path", "path", "filePath"]);
  const { content } = fields;
  if (path === null || !isText(content)) return null;
  const lines = linesOf(content);
  return {
    what: `write ${path.text} (${lines.length} lines)`,
    lines: lines.map((line): Words => [toned("alive", "+ "), line]),
    shows: [path.name, "content"],
  };
}

function plan(_name: string, { plan }: Fields): Drawing | null {
  if (!isText(plan)) return null;
  return { what: "go on with this plan", lines: plan.split("\n"), shows: ["plan"] };
}

/** `{"questions": [{"question": …, "options": [{"label": …}]}]}`. */
function questions(_name: string, { questions }: Fields): Drawing | null {
  if (!Array.isArray(questions) || questions.length === 0) return null;
  const lines: Words[] = [];
  for (const one of questions) {
    if (!isFields(one) || !isText(one.question)) return null;
    lines.push(one.question);
    for (const option of Array.isArray(one.options) ? one.options : []) {
      const label = isFields(option) ? option.label : option;
      if (isText(label)) lines.push(`· ${label}`);
    }
  }
  // The options have descriptions and more, which stand below in full.
  return { what: "asks you", lines, shows: [] };
}

function address(name: string, { url }: Fields): Drawing | null {
  return isText(url) ? { what: `${name}: open this address`, lines: [url], shows: ["url"] } : null;
}

/** The input without what was drawn; null when nothing is left. */
function restOf(input: Json, shows: readonly string[]): Json | null {
  if (!isFields(input)) return input;
  const rest = Object.entries(input).filter(([name]) => !shows.includes(name));
  if (rest.length === 0 && shows.length > 0) return null;
  return JSON.parse(canonicalJson(Object.fromEntries(rest))) as Json;
}

function optionLines(options: NonNullable<Question["options"]>): Words[] {
  const own = options.filter(({ kind }) => !usual.has(kind));
  return own.length === 0
    ? []
    : [`    the agent offers: ${own.map(({ name }) => name).join(" · ")}`];
}

/** Those that every question has: allow once, always, deny. */
const usual = new Set(["allow_once", "allow_always", "reject_once", "reject_always"]);

function firstOf(fields: Fields, names: readonly string[]) {
  for (const name of names) {
    const text = fields[name];
    if (isText(text)) return { name, text };
  }
  return null;
}

/** As `diff` says it of files, where only one of two texts ends without a newline. */
const NO_NEWLINE = "\\ No newline at end";

const lacksNewline = (text: string): boolean => text !== "" && !text.endsWith("\n");

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
