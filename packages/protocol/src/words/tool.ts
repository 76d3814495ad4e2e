/** The target of a tool call, and the call in words. */

import { canonicalJson } from "../canonical.ts";
import type { Json } from "../events.ts";

/** Input fields in which tools of different agents name their target, the most telling first. */
const targets = [
  ...["command", "file_path", "path", "url", "query", "pattern", "prompt"],
  ...["plan", "question"],
] as const;

/** The longest input in characters that a phone shows on one line. */
const ONE_LINE = 48;

/** Kinds of calls in the agent protocol, in words for people. */
export const kindWords: Readonly<Record<string, string>> = {
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Search",
  execute: "Run",
  think: "Think",
  fetch: "Fetch",
  switch_mode: "Switch mode",
  other: "Use a tool",
};

/** A call's name for people; some agents send only its kind. */
export function callWords(name: string): string {
  return Object.hasOwn(kindWords, name) ? (kindWords[name] ?? name) : name;
}

/** The target and the field that names it; null without a recognised target. */
export function namedTarget(input: Json): { readonly name: string; readonly text: string } | null {
  if (input === null || typeof input !== "object") return null;
  const record = input as Readonly<Record<string, Json>>;
  for (const name of targets) {
    const value = record[name];
    if (typeof value === "string") return { name, text: value };
    if (Array.isArray(value)) return { name, text: value.map(String).join(" ") };
  }
  return null;
}

/**
 * The target as text: empty without input, and `n: 1, to: "x"` for an input without a recognised
 * target.
 */
export function toolTarget(input: Json): string {
  if (input === null) return "";
  if (typeof input !== "object") return String(input);
  return namedTarget(input)?.text ?? pairs(input);
}

function pairs(input: Json): string {
  if (Array.isArray(input)) return input.length === 0 ? "" : canonicalJson(input);
  const named = Object.entries(input ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([name, value]) => `${name}: ${canonicalJson(value)}`).join(", ");
}

/**
 * Name and target of a call. The target is left out if the name already contains it, as some agents
 * do; the name of a kind never contains it.
 */
export function toolWords(
  name: string,
  input: Json,
  shown: (target: string) => string = (target) => target,
): string {
  const target = toolTarget(input);
  const has = !Object.hasOwn(kindWords, name) && name.includes(target);
  return target === "" || has ? callWords(name) : `${callWords(name)} ${shown(target)}`;
}

/** One line of at most `most` characters and an ellipsis. */
export function shortLine(text: string, most: number): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
}

/** The whole input that will run, with sorted keys; only whitespace is added to a long one. */
export function exactInput(input: Json, oneLine = ONE_LINE): string {
  const line = canonicalJson(input);
  return line.length <= oneLine ? line : JSON.stringify(JSON.parse(line), null, 2);
}
