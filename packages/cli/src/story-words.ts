/** The words for what happens in a session, whether it is told live or read back. */

import { type Receipt, spliceWords, type ToolPart } from "@holdfast/protocol";
import { type Span, toned, type Words } from "./words.ts";

/** A person's message, set off from what the agent says. `when` stands behind its first line. */
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

/** A recovery that is past: how the agent came back, then its receipt. */
export function spliceLines(receipt: Receipt): Words[] {
  return [toned("recovered", `⌁ ${spliceWords(receipt)}`), ...receiptLines(receipt)];
}

/** What a recovery kept, lost, and may have run twice, a line each. */
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
