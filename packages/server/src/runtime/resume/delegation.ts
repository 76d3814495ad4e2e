/** Work handed to a subagent at the cut (R000-52 to R000-54): told again, not resumed. */

import type { Json, ToolPart } from "@holdfast/protocol";

const MOST = 4_000;

export function delegatedState(calls: readonly ToolPart[]): string | null {
  const open = calls.findLast(
    ({ delegates, status }) => delegates && (status === "unknown" || status === "running"),
  );
  if (open === undefined) return null;
  const said = open.output.trim();
  return [
    `It was asked: ${cut(textOf(open.input))}`,
    said === "" ? "Nothing was heard of it." : `It had said: ${cut(said)}`,
  ].join("\n");
}

const textOf = (input: Json): string => (typeof input === "string" ? input : JSON.stringify(input));

/** Keeps the end of a text, because the latest output matters most. */
const cut = (text: string) => (text.length <= MOST ? text : `…${text.slice(-MOST).toWellFormed()}`);
