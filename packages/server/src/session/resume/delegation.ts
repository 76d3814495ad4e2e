/**
 * Work that an agent had handed to one below it when it was cut off (R000-52 to R000-54). The inner loop
 * is not resumed: its agent is told what was asked of it and what it had said, and decides anew.
 */

import type { Json, ToolPart } from "@holdfast/protocol";

const MOST = 4_000;

/** Null when nothing was handed on, or it was over. */
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

/** The end of it: what it knew last is what counts. */
const cut = (text: string) => (text.length <= MOST ? text : `…${text.slice(-MOST).toWellFormed()}`);
