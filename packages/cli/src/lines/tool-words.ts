/** A tool call in one line, and its exact input. */

import { exactInput, type Json, namedTarget, shortLine, toolWords } from "@holdfast/protocol";

const MAX_TARGET = 80;
/** The longest input in characters that is printed on one line. */
const ONE_LINE = 72;

/** A shell command with `$`, without the tool's name; any other call with its name. */
export function toolLine(name: string, input: Json): string {
  const target = namedTarget(input);
  if (target?.name === "command" && target.text !== "") return `$ ${short(target.text)}`;
  return toolWords(name, input, short);
}

const short = (text: string): string => shortLine(text, MAX_TARGET);

export function exactLines(input: Json): string[] {
  return exactInput(input, ONE_LINE).split("\n");
}
