/**
 * An agent's request, parsed by its kind: a command with its folder, an edit, a plan, an address, a
 * question with its choices. Only the approval's input is read, because an answer is bound to it.
 * Fields that the kind does not cover are listed in `rest`, so that a screen can show all of the
 * input.
 */

import type { BlobRef, Json } from "../events.ts";
import { callWords, namedTarget, shortLine, toolWords } from "./tool.ts";

export interface EditOf {
  readonly path: string;
  /** Null when the whole file is written. */
  readonly before: string | null;
  readonly after: string;
}

export interface Choice {
  readonly label: string;
  readonly about: string;
}

export interface AskedQuestion {
  readonly question: string;
  readonly choices: readonly Choice[];
}

type Kind =
  | { readonly kind: "command"; readonly command: string; readonly folder: string | null }
  | { readonly kind: "edit"; readonly edits: readonly EditOf[] }
  | { readonly kind: "patch"; readonly path: string; readonly patch: string }
  | { readonly kind: "plan"; readonly plan: string }
  | { readonly kind: "fetch"; readonly url: string }
  | { readonly kind: "question"; readonly questions: readonly AskedQuestion[] }
  /** Too large to be shown at once: the beginning, and a blob of the whole input if it was kept. */
  | { readonly kind: "hidden"; readonly beginning: string; readonly blob: BlobRef | null }
  | { readonly kind: "other" };

export type Request = Kind & { readonly rest: readonly Field[] };

/** A field of the input and its value; one inside a list has a name such as `edits[0].replace_all`. */
type Field = readonly [name: string, value: Json];
type Fields = Readonly<Record<string, Json>>;

interface Asked {
  readonly toolInput: Json;
  readonly inputBlob: BlobRef | null;
  readonly inputPreview: string | null;
}

export function requestOf({ toolInput: input, inputBlob, inputPreview }: Asked): Request {
  if (inputBlob !== null || isUnreadable(input)) {
    return { kind: "hidden", beginning: inputPreview ?? "", blob: inputBlob, rest: [] };
  }
  if (!isFields(input)) return { kind: "other", rest: [] };
  for (const read of readers) {
    const found = read(input);
    if (found === null) continue;
    const { as, used, inner = [] } = found;
    return { ...as, rest: [...fieldsBut(input, used), ...inner] };
  }
  return { kind: "other", rest: [] };
}

interface Read {
  readonly as: Kind;
  /** Fields of the input that the kind covers. */
  readonly used: readonly string[];
  /** Nested fields that the kind does not cover. */
  readonly inner?: readonly Field[];
}

/** Parsers in order. A command comes first, because it can do the most. */
const readers: readonly ((input: Fields) => Read | null)[] = [
  command,
  edits,
  plan,
  questions,
  address,
];

/** True for the form in which earlier versions stored an input that was too large. */
function isUnreadable(input: Json): boolean {
  return isFields(input) && input.type === "unreadable";
}

const folderNames = ["cwd", "workdir", "working_directory", "directory"] as const;

function command(input: Fields): Read | null {
  const text = commandText(input.command);
  if (text === "") return null;
  const named = folderNames.find((name) => isText(input[name]));
  const folder = named === undefined ? null : textOf(input[named]);
  return { as: { kind: "command", command: text, folder }, used: ["command", named ?? "command"] };
}

/** Quotes the words of a list as a shell needs them, so that each stays one word. */
function commandText(value: Json | undefined): string {
  if (!Array.isArray(value)) return textOf(value);
  return value.every(isText) ? value.map(quoted).join(" ") : "";
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const pathNames = ["file_path", "path", "filePath", "notebook_path"] as const;
const beforeNames = ["old_string", "oldText", "oldString", "old_text"] as const;
const afterNames = ["new_string", "newText", "newString", "new_text"] as const;

function edits(input: Fields): Read | null {
  const named = pathNames.find((name) => isText(input[name]));
  if (named === undefined) return diffs(input) ?? changes(input);
  const path = textOf(input[named]);
  const { patch, content } = input;
  if (isText(patch)) return { as: { kind: "patch", path, patch }, used: [named, "patch"] };
  if (isText(content)) {
    const written = { path, before: null, after: content };
    return { as: { kind: "edit", edits: [written] }, used: [named, "content"] };
  }
  if (!Array.isArray(input.edits)) {
    const found = editIn(input, path);
    if (found === null) return diffs(input);
    return { as: { kind: "edit", edits: [found.edit] }, used: [named, ...found.used] };
  }
  return editList(input.edits, "edits", [named, "edits"], (piece) => editIn(piece, path));
}

interface FoundEdit {
  readonly edit: EditOf;
  readonly used: readonly string[];
}

function editIn(piece: Fields, path: string): FoundEdit | null {
  const before = beforeNames.find((name) => isText(piece[name]));
  const after = afterNames.find((name) => isText(piece[name]));
  if (after === undefined) return null;
  const edit = {
    path,
    before: before === undefined ? "" : textOf(piece[before]),
    after: textOf(piece[after]),
  };
  return { edit, used: before === undefined ? [after] : [before, after] };
}

/** Diffs of the agent protocol, which the host adds for agents that send no other input. */
function diffs({ content }: Fields): Read | null {
  if (!Array.isArray(content)) return null;
  return editList(content, "content", ["content"], (item) => {
    if (item.type !== "diff" || !isText(item.newText)) return null;
    const before = isText(item.oldText) ? item.oldText : null;
    const edit = { path: textOf(item.path), before, after: item.newText };
    return { edit, used: ["type", "newText", ...textsIn(item, ["path", "oldText"])] };
  });
}

/**
 * Parses a list of edits; null if one piece is unreadable, because that piece must stay visible.
 */
function editList(
  pieces: readonly Json[],
  name: string,
  used: readonly string[],
  read: (piece: Fields) => FoundEdit | null,
): Read | null {
  const all: EditOf[] = [];
  const inner: Field[] = [];
  for (const [i, piece] of pieces.entries()) {
    const found = isFields(piece) ? read(piece) : null;
    if (found === null || !isFields(piece)) return null;
    all.push(found.edit);
    inner.push(...fieldsBut(piece, found.used, `${name}[${i}].`));
  }
  return all.length === 0 ? null : { as: { kind: "edit", edits: all }, used, inner };
}

/** Changes as Codex writes them: by path, with new content or a unified diff. */
function changes(input: Fields): Read | null {
  if (!isFields(input.changes)) return null;
  const [only, ...others] = Object.entries(input.changes);
  if (only === undefined || others.length > 0 || !isFields(only[1])) return null;
  const [path, change] = only;
  const found = (as: Kind, ...used: string[]): Read => {
    return { as, used: ["changes"], inner: fieldsBut(change, used, `changes.${path}.`) };
  };
  if (isText(change.unified_diff)) {
    return found({ kind: "patch", path, patch: change.unified_diff }, "unified_diff");
  }
  if (change.type !== "add" || !isText(change.content)) return null;
  const edit = { path, before: null, after: change.content };
  return found({ kind: "edit", edits: [edit] }, "type", "content");
}

function plan({ plan }: Fields): Read | null {
  return isText(plan) ? { as: { kind: "plan", plan }, used: ["plan"] } : null;
}

/** Parses one question with its options, or a list of questions. */
function questions(input: Fields): Read | null {
  if (!Array.isArray(input.questions)) {
    const inner: Field[] = [];
    const asked = questionIn(input, "", inner);
    if (asked === null) return null;
    // The question's other fields are fields of the input itself.
    return { as: { kind: "question", questions: [asked] }, used: Object.keys(input), inner };
  }
  const all: AskedQuestion[] = [];
  const inner: Field[] = [];
  for (const [i, one] of input.questions.entries()) {
    const asked = questionIn(one, `questions[${i}].`, inner);
    if (asked === null) return null;
    all.push(asked);
  }
  if (all.length === 0) return null;
  return { as: { kind: "question", questions: all }, used: ["questions"], inner };
}

function questionIn(asked: Json, within: string, rest: Field[]): AskedQuestion | null {
  if (!isFields(asked) || !isText(asked.question)) return null;
  const { question, options } = asked;
  if (!Array.isArray(options)) {
    rest.push(...fieldsBut(asked, ["question"], within));
    return { question, choices: [] };
  }
  rest.push(...fieldsBut(asked, ["question", "options"], within));
  const choices = options.map((option, i) => choiceOf(option, `${within}options[${i}].`, rest));
  return { question, choices };
}

function choiceOf(option: Json, within: string, rest: Field[]): Choice {
  if (!isFields(option)) return { label: fieldText(option), about: "" };
  const named = isText(option.label) ? "label" : "name";
  rest.push(...fieldsBut(option, textsIn(option, [named, "description"]), within));
  return { label: textOf(option[named]), about: textOf(option.description) };
}

function address({ url }: Fields): Read | null {
  return isText(url) ? { as: { kind: "fetch", url }, used: ["url"] } : null;
}

/** The other fields, in the order of their names. */
function fieldsBut(fields: Fields, used: readonly string[], within = ""): Field[] {
  return Object.entries(fields)
    .filter(([name]) => !used.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [`${within}${name}`, value] as const);
}

/** The names whose value is a text or null; the kind does not show other values. */
function textsIn(fields: Fields, names: readonly string[]): string[] {
  return names.filter((name) => isText(fields[name]) || fields[name] === null);
}

/** The tool call that a request is about, by the name that people know it by. */
export interface Call {
  readonly name: string;
  readonly input: Json;
}

/** The title of a request, the same on every screen. */
export function requestTitle(request: Request, { name, input }: Call): string {
  switch (request.kind) {
    case "command":
      return "Run a command";
    case "edit":
      return editTitle(request.edits);
    case "patch":
      return `Edit ${short(request.path)}`;
    case "plan":
      return "Approve a plan";
    case "fetch":
      return `Fetch from ${hostOf(request.url)}`;
    case "question":
      return request.questions.length === 1 ? "Answer a question" : "Answer questions";
    case "hidden":
      return callWords(name);
    case "other": {
      const target = namedTarget(input)?.text ?? null;
      return toolWords(name, target, short);
    }
  }
}

/** A request in one line, for places that do not draw it: its title and subject. */
export function requestLine(request: Request, call: Call): string {
  if (request.kind === "other") return toolWords(call.name, call.input, short);
  const title = requestTitle(request, call);
  const about = aboutOf(request);
  return about === "" ? title : `${title}: ${short(about)}`;
}

function aboutOf(request: Request): string {
  if (request.kind === "command") return request.command;
  if (request.kind === "fetch") return request.url;
  if (request.kind === "plan") return request.plan.trim().split("\n")[0] ?? "";
  return request.kind === "question" ? (request.questions[0]?.question ?? "") : "";
}

/** Characters of a path or target in a title. */
const TITLE = 200;
const short = (text: string): string => shortLine(text, TITLE);

function editTitle(all: readonly EditOf[]): string {
  const paths = [...new Set(all.map(({ path }) => path))];
  const verb = all.every(({ before }) => before === null) ? "Write" : "Edit";
  return `${verb} ${paths.length === 1 ? short(paths[0] ?? "") : `${paths.length} files`}`;
}

function hostOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : "";
  return short(host === "" ? url : host);
}

/** A field's value as text: a string as it is, anything else as JSON. */
export function fieldText(value: Json): string {
  return isText(value) ? value : JSON.stringify(value);
}

const isText = (value: Json | undefined): value is string => typeof value === "string";
const textOf = (value: Json | undefined): string => (isText(value) ? value : "");

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
