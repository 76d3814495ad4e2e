/** A tool call in one line, and what it is asked to do, exactly. */

import {
  canonicalJson,
  type Json,
  kindWords,
  namedTarget,
  shortLine,
  toolTarget,
} from "@holdfast/protocol";
import { count } from "./measures.ts";

const MAX_TARGET = 200;
/** Up to here one line is easier to read than many. */
const ONE_LINE = 48;

export interface ToolLine {
  readonly verb: string;
  /** What it acts on; empty where the agent put it into the name already, or there is none. */
  readonly target: string;
}

/** `root` is the workspace: what lies in it is called as one would call it from there. */
export function toolLine(name: string, input: Json, root: string | null = null): ToolLine {
  const full = toolTarget(input);
  // A command is shown as it runs.
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

/** Paths below the workspace, without it. A name that only begins alike is another place. */
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

/** The input that will run, whole and in one order of keys; only spaces between its parts are ours. */
export function exactInput(input: Json): string {
  const line = canonicalJson(input);
  return line.length <= ONE_LINE ? line : JSON.stringify(JSON.parse(line), null, 2);
}

/** What came back, in a few words: itself when it is short, else how much. */
export function resultWords(output: string): string {
  const trimmed = output.trim();
  if (trimmed === "") return "";
  const lines = trimmed.split("\n");
  const [first = ""] = lines;
  return lines.length === 1 && first.length <= 32 ? first : count(lines.length, "line");
}

/** The end of what a running tool printed: most often that is where the news is. */
export function lastLines(output: string, most = 3): readonly string[] {
  const trimmed = output.trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n").slice(-most);
}
