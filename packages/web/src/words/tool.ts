import {
  count,
  type Json,
  kindWords,
  namedTarget,
  shortLine,
  toolTarget,
} from "@holdfast/protocol";

const MAX_TARGET = 200;

interface ToolLine {
  readonly verb: string;
  /** The object of the call; empty when the call has no object or its name contains it. */
  readonly target: string;
}

/** `root` is the workspace; paths inside it are shown relative to it. */
export function toolLine(name: string, input: Json, root: string | null = null): ToolLine {
  const full = toolTarget(input);
  // A command is shown exactly as it runs.
  const target = namedTarget(input)?.name === "command" ? full : within(full, root);
  const called = within(name, root);
  if (Object.hasOwn(kindWords, name)) {
    return { verb: kindWords[name] ?? name, target: short(target) };
  }
  const has = target !== "" && called.endsWith(target);
  if (has && called.length > target.length)
    return { verb: called.slice(0, -target.length).trim(), target };
  return { verb: called, target: has || called.includes(target) ? "" : short(target) };
}

export function toolWords(name: string, input: Json, root: string | null = null): string {
  const { verb, target } = toolLine(name, input, root);
  return target === "" ? verb : `${verb} ${target}`;
}

/** Leaves a path alone that merely shares the workspace's first characters. */
export function within(text: string, root: string | null): string {
  if (root === null || root === "" || root === "/") return text;
  if (text === root) return ".";
  const base = `${root.replace(/\/+$/, "")}/`;
  const [first = "", ...others] = text.split(base);
  return others.reduce(
    (said, next) => `${said}${/(^|[\s"'(=:])$/.test(said) ? "" : base}${next}`,
    first,
  );
}

const short = (text: string): string => shortLine(text, MAX_TARGET);

/** The result in a few words: the output itself when it is short, else its number of lines. */
export function resultWords(output: string): string {
  const trimmed = output.trim();
  if (trimmed === "") return "";
  const lines = trimmed.split("\n");
  const [first = ""] = lines;
  return lines.length === 1 && first.length <= 32 ? first : count(lines.length, "line");
}

/** The last lines of a running tool's output, which are usually the most recent news. */
export function lastLines(output: string, most = 3): readonly string[] {
  const trimmed = output.trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n").slice(-most);
}
