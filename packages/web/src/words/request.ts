/**
 * An agent's request, drawn by its kind: a command as lines, an edit as a diff, a plan as Markdown, a
 * fetch as its address, a question with its choices. Only what the approval's input holds is drawn,
 * because that is what an answer is bound to; fields that the drawing leaves out are listed beside it.
 */

import { type ApprovalView, type BlobRef, canonicalJson, type Json } from "@holdfast/protocol";

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
  /** Too large to be shown at once: its beginning, and all of it where that was kept. */
  | { readonly kind: "hidden"; readonly beginning: string; readonly blob: BlobRef | null }
  | { readonly kind: "other" };

export type Request = Kind & {
  /** Fields of the input that the drawing does not show, with their values as JSON. */
  readonly rest: readonly (readonly [string, string])[];
};

type Fields = Readonly<Record<string, Json>>;

type Asked = Pick<ApprovalView, "toolInput" | "inputBlob" | "inputPreview">;

export function requestOf({ toolInput: input, inputBlob, inputPreview }: Asked): Request {
  if (inputBlob !== null || isUnreadable(input)) {
    return { kind: "hidden", beginning: inputPreview ?? "", blob: inputBlob, rest: [] };
  }
  if (!isObject(input)) return { kind: "other", rest: [] };
  for (const read of readers) {
    const found = read(input);
    if (found !== null) return { ...found.as, rest: restOf(input, found.used) };
  }
  return { kind: "other", rest: [] };
}

interface Read {
  readonly as: Kind;
  readonly used: readonly string[];
}

type Reader = (input: Fields) => Read | null;

const readers: readonly Reader[] = [plan, questions, edits, command, fetched];

/** What earlier versions kept of an input that was too large. */
function isUnreadable(input: Json): boolean {
  return isObject(input) && input.type === "unreadable";
}

function plan(input: Fields): Read | null {
  if (typeof input.plan !== "string") return null;
  return { as: { kind: "plan", plan: input.plan }, used: ["plan"] };
}

function questions(input: Fields): Read | null {
  const listed = Array.isArray(input.questions) ? input.questions : null;
  const asked = (listed ?? [input]).map(questionOf);
  const known = asked.filter((one) => one !== null);
  if (known.length === 0 || known.length < asked.length) return null;
  const used = listed === null ? ["question", "options", "header"] : ["questions"];
  return { as: { kind: "question", questions: known }, used };
}

function questionOf(asked: Json): AskedQuestion | null {
  if (!isObject(asked) || typeof asked.question !== "string") return null;
  const { question, options } = asked;
  return { question, choices: Array.isArray(options) ? options.map(choiceOf) : [] };
}

function choiceOf(option: Json): Choice {
  if (!isObject(option)) return { label: scalar(option), about: "" };
  return { label: textOf(option.label) || textOf(option.name), about: textOf(option.description) };
}

const pathNames = ["file_path", "path", "filePath", "notebook_path"] as const;

function edits(input: Fields): Read | null {
  const told = diffsIn(input.content);
  if (told.length > 0) return { as: { kind: "edit", edits: told }, used: ["content"] };
  const named = pathNames.find((name) => typeof input[name] === "string");
  if (named === undefined) return changes(input);
  const path = textOf(input[named]);
  const { patch, content } = input;
  if (typeof patch === "string") {
    return { as: { kind: "patch", path, patch }, used: [named, "patch"] };
  }
  if (typeof content === "string") {
    const written = { path, before: null, after: content };
    return { as: { kind: "edit", edits: [written] }, used: [named, "content"] };
  }
  const listed = Array.isArray(input.edits) ? input.edits : null;
  const pieces = listed ?? [input];
  const found = pieces.flatMap((piece): EditOf[] => {
    if (!isObject(piece) || typeof piece.new_string !== "string") return [];
    return [{ path, before: textOf(piece.old_string), after: piece.new_string }];
  });
  // A piece that cannot be read must not vanish beside those that can.
  if (found.length === 0 || found.length < pieces.length) return null;
  const used = listed === null ? [named, "old_string", "new_string"] : [named, "edits"];
  return { as: { kind: "edit", edits: found }, used };
}

/** The protocol's own diffs, which the host adds for agents that send no other input. */
function diffsIn(content: Json | undefined): readonly EditOf[] {
  if (!Array.isArray(content)) return [];
  const found = content.flatMap((item): EditOf[] => {
    if (!isObject(item) || item.type !== "diff" || typeof item.newText !== "string") return [];
    const before = typeof item.oldText === "string" ? item.oldText : null;
    return [{ path: textOf(item.path), before, after: item.newText }];
  });
  return found.length === content.length ? found : [];
}

/** As Codex writes them: by path, new content or a unified diff. */
function changes(input: Fields): Read | null {
  if (!isObject(input.changes)) return null;
  const [only, ...others] = Object.entries(input.changes);
  if (only === undefined || others.length > 0 || !isObject(only[1])) return null;
  const [path, change] = only;
  const used = ["changes"];
  if (typeof change.unified_diff === "string") {
    return { as: { kind: "patch", path, patch: change.unified_diff }, used };
  }
  if (change.type !== "add" || typeof change.content !== "string") return null;
  return { as: { kind: "edit", edits: [{ path, before: null, after: change.content }] }, used };
}

const folderNames = ["cwd", "workdir", "working_directory", "directory"] as const;

function command(input: Fields): Read | null {
  const shown = commandText(input.command);
  if (shown === null) return null;
  const named = folderNames.find((name) => typeof input[name] === "string");
  const folder = named === undefined ? null : textOf(input[named]);
  return { as: { kind: "command", command: shown, folder }, used: ["command", named ?? "command"] };
}

/** Words of a list are quoted as a shell would need them, so that each stays one word. */
function commandText(value: Json | undefined): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length === 0) return null;
  const words = value.filter((word) => typeof word === "string");
  return words.length === value.length ? words.map(quoted).join(" ") : null;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function fetched(input: Fields): Read | null {
  if (typeof input.url !== "string") return null;
  return { as: { kind: "fetch", url: input.url }, used: ["url"] };
}

function restOf(input: Fields, used: readonly string[]): Request["rest"] {
  return Object.entries(input)
    .filter(([name]) => !used.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, scalar(value)] as const);
}

const scalar = (value: Json) => (typeof value === "string" ? value : canonicalJson(value));

/** The heading of a request; null where the call's own name says it best. */
export function requestTitle(request: Request, within: (path: string) => string): string | null {
  switch (request.kind) {
    case "command":
      return "Run a command";
    case "edit":
      return editTitle(request.edits, within);
    case "patch":
      return `Edit ${within(request.path)}`;
    case "plan":
      return "Approve a plan";
    case "fetch":
      return `Fetch from ${hostOf(request.url)}`;
    case "question":
      return request.questions.length === 1 ? "Answer a question" : "Answer questions";
    default:
      return null;
  }
}

function editTitle(all: readonly EditOf[], within: (path: string) => string): string {
  const paths = [...new Set(all.map(({ path }) => path))];
  const verb = all.every(({ before }) => before === null) ? "Write" : "Edit";
  return `${verb} ${paths.length === 1 ? within(paths[0] ?? "") : `${paths.length} files`}`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url;
}

function isObject(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
