/** A tool call in one line, and what it is asked to do, exactly. */

import { canonicalJson, type Json } from "@holdfast/protocol";
import { count } from "./measures.ts";

/** What tools of different agents call the thing they act on, the most telling first. */
const targets = ["command", "file_path", "path", "url", "query", "pattern", "prompt"] as const;

const MAX_TARGET = 200;
/** Up to here one line is easier to read than many. */
const ONE_LINE = 48;

export interface ToolLine {
  readonly verb: string;
  /** What it acts on; empty where the agent put it into the name already, or there is none. */
  readonly target: string;
}

export function toolLine(name: string, input: Json): ToolLine {
  const target = targetOf(input);
  const has = target !== "" && name.endsWith(target);
  if (has && name.length > target.length)
    return { verb: name.slice(0, -target.length).trim(), target };
  return { verb: name, target: has || name.includes(target) ? "" : short(target) };
}

export function toolWords(name: string, input: Json): string {
  const { verb, target } = toolLine(name, input);
  return target === "" ? verb : `${verb} ${target}`;
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
