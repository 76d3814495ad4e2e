/** Lines for the events of a session, shared by live output and the transcript. */

import { type Receipt, spliceWords, type ToolPart } from "@holdfast/protocol";
import { type Span, toned, type Words } from "./words.ts";

/** A person's message, marked to differ from the agent's text. `when` follows its first line. */
export function messageLines(content: string, when: Span | string = ""): Words[] {
  return content
    .split("\n")
    .map((line, i) => [toned("strong", i === 0 ? "› " : "  "), line, i === 0 ? when : ""]);
}

export const toolMarks: Readonly<Record<ToolPart["status"], Span | string>> = {
  running: "▸",
  completed: toned("alive", "✓"),
  failed: toned("bad", "✗"),
  denied: toned("bad", "✗ denied"),
  cancelled: toned("bad", "✗ cancelled"),
  unknown: toned("needs", "? may or may not have run"),
  not_started: toned("quiet", "✗ not started"),
};

/** A past recovery: how the agent came back, then its receipt. */
export function spliceLines(receipt: Receipt): Words[] {
  return [toned("recovered", `⌁ ${spliceWords(receipt)}`), ...receiptLines(receipt)];
}

/** One line for each item that a recovery kept, lost, or may have run twice. */
export function receiptLines({ kept, lost, maybeTwice }: Lines): Words[] {
  const lines = (word: string, facts: readonly string[]): Words[] =>
    facts.map((fact) => [toned("recovered", "⌁ "), `${word}: ${fact}`]);
  return [
    ...lines("kept", kept),
    ...lines("lost", lost),
    ...lines("may have run twice", maybeTwice),
  ];
}

type Lines = Pick<Receipt, "kept" | "lost" | "maybeTwice">;
