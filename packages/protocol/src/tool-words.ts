/** What a tool call acts on, and the call in words. */

import { canonicalJson } from "./canonical.ts";
import type { Json } from "./events.ts";

/** What tools of different agents call the thing they act on, the most telling first. */
const targets = [
  ...["command", "file_path", "path", "url", "query", "pattern", "prompt"],
  ...["plan", "question"],
] as const;

/** What the protocol calls kinds of calls, as people say it. */
export const kindWords: Readonly<Record<string, string>> = {
  ...{ read: "Read", edit: "Edit", delete: "Delete", move: "Move", search: "Search" },
  ...{ execute: "Run", think: "Think", fetch: "Fetch", switch_mode: "Switch mode" },
  other: "Use a tool",
};

/** What it is about, and under which name; null where it is about nothing in particular. */
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

/** Empty where there is none. `others` says what an input has that is about nothing in particular. */
export function toolTarget(input: Json, others: (input: Json) => string = canonicalJson): string {
  if (input === null) return "";
  if (typeof input !== "object") return String(input);
  const named = namedTarget(input);
  if (named !== null) return named.text;
  return Object.keys(input).length === 0 ? "" : others(input);
}

/** Some agents put the target into the name already. */
export function toolWords(
  name: string,
  input: Json,
  shown: (target: string) => string = (target) => target,
): string {
  const target = toolTarget(input);
  const called = Object.hasOwn(kindWords, name) ? (kindWords[name] ?? name) : name;
  return target === "" || name.includes(target) ? called : `${called} ${shown(target)}`;
}
