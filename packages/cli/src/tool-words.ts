/** A tool call in one line, and what it is asked to do, exactly. */

import { canonicalJson, type Json, namedTarget, shortLine, toolWords } from "@holdfast/protocol";

const MAX_TARGET = 80;
/** Up to here one line is easier to read than many. */
const ONE_LINE = 72;

/** A command as a shell shows it; what an agent calls its tool says less. */
export function toolLine(name: string, input: Json): string {
  const target = namedTarget(input);
  if (target?.name === "command" && target.text !== "") return `$ ${short(target.text)}`;
  return toolWords(name, input, short);
}

const short = (text: string): string => shortLine(text, MAX_TARGET);

/** The input that will run, whole and in one order of keys; only spaces between its parts are ours. */
export function exactInput(input: Json): string[] {
  const line = canonicalJson(input);
  if (line.length <= ONE_LINE) return [line];
  return JSON.stringify(JSON.parse(line), null, 2).split("\n");
}
