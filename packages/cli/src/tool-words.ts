/** A tool call in one line, and what it is asked to do, exactly. */

import { canonicalJson, type Json } from "@holdfast/protocol";

/** What tools of different agents call the thing they act on, the most telling first. */
const targets = ["command", "file_path", "path", "url", "query", "pattern", "prompt"] as const;

const MAX_TARGET = 80;
/** Up to here one line is easier to read than many. */
const ONE_LINE = 72;

export function toolLine(name: string, input: Json): string {
  const target = targetOf(input);
  // Some agents put it into the name already.
  return target === "" || name.includes(target) ? name : `${name} ${short(target)}`;
}

function targetOf(input: Json): string {
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

function short(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length > MAX_TARGET ? `${line.slice(0, MAX_TARGET).toWellFormed()}…` : line;
}

/** The input that will run, whole and in one order of keys; only spaces between its parts are ours. */
export function exactInput(input: Json): string[] {
  const line = canonicalJson(input);
  if (line.length <= ONE_LINE) return [line];
  return JSON.stringify(JSON.parse(line), null, 2).split("\n");
}
