/** What a tool call acts on, and the call in words. */

import { canonicalJson } from "./canonical.ts";
import type { Json } from "./events.ts";

/** What tools of different agents call the thing they act on, the most telling first. */
const targets = ["command", "file_path", "path", "url", "query", "pattern", "prompt"] as const;

/** Empty where there is none. */
export function toolTarget(input: Json): string {
  if (input === null) return "";
  if (typeof input !== "object") return String(input);
  const record = input as Readonly<Record<string, Json>>;
  for (const key of targets) {
    const value = record[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.map(String).join(" ");
  }
  return Object.keys(record).length === 0 ? "" : canonicalJson(input);
}

/** Some agents put the target into the name already. */
export function toolWords(name: string, input: Json): string {
  const target = toolTarget(input);
  return target === "" || name.includes(target) ? name : `${name} ${target}`;
}
