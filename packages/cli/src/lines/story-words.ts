/** Lines for the events of a session, shared by live output and the transcript. */

import {
  callEndWords,
  type RanAgain,
  type Receipt,
  ranAgainWords,
  spliceWords,
  type ToolPart,
} from "@holdfast/protocol";
import { type Span, toned, type Words } from "../output/words.ts";

/** A person's message, marked to differ from the agent's text. `when` follows its first line. */
export function messageLines(content: string, when: Span | string = ""): Words[] {
  return content
    .split("\n")
    .map((line, i) => [toned("strong", i === 0 ? "› " : "  "), line, i === 0 ? when : ""]);
}

export const toolMarks: Readonly<Record<ToolPart["status"], Span | string>> = {
  running: "▸",
  completed: toned("alive", "✓"),
  failed: toned("lost", "✗"),
  denied: toned("lost", `✗ ${callEndWords.denied}`),
  cancelled: toned("lost", `✗ ${callEndWords.cancelled}`),
  unknown: toned("needs", `? ${callEndWords.unknown}`),
  not_started: toned("quiet", `✗ ${callEndWords.not_started}`),
};

/** A receipt with the calls that ran again since; hosts of earlier versions do not send them. */
export type ListedReceipt = Receipt & { readonly ranAgain?: readonly RanAgain[] };

/** A past recovery: how the agent came back, its receipt, and the calls that ran again since. */
export function spliceLines(receipt: ListedReceipt): Words[] {
  return [
    toned("recovered", `⌁ ${spliceWords(receipt)}`),
    ...receiptLines(receipt),
    ...againLines(receipt.ranAgain ?? []),
  ];
}

export function againLines(calls: readonly RanAgain[]): Words[] {
  return ranAgainWords(calls).map((line) => [toned("needs", "⌁ ran again: "), line]);
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
