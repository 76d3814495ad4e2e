/** A recovery in words, from its receipt or its event. */

import type { Receipt } from "../transcript/transcript.ts";
import { type Grade, grades, type Rung } from "../vocabulary.ts";
import { duration } from "./time.ts";

/** Words for each rung of a recovery; `took` is empty or " in 310 ms". */
const rungs: Readonly<Record<Rung, (took: string) => string>> = {
  live: () => "The agent was still running.",
  adopted: () => "Host restarted. Nothing was lost.",
  native: (took) => `Agent restarted from its own saved session${took}.`,
  restored: (took) => `Agent restored from a checkpoint${took}.`,
  injected: (took) =>
    `Agent restarted without its own memory${took}. Holdfast tells it the conversation.`,
  fresh: (took) => `Agent started fresh${took}, without the conversation.`,
};

/** The agent's memory after a restart. */
const memory: Readonly<Record<Grade, string>> = {
  verified: " Memory of finished work verified.",
  partial: " Part of its memory was lost; Holdfast tells it the missing part.",
  ahead: " It remembers more than Holdfast recorded.",
  unverified: " Memory not verified.",
  injected: "",
};

/** "Agent restarted from its own saved session in 310 ms. Memory of finished work verified." */
export function recoveryWords(rung: Rung | null, grade: Grade | null, ms: number | null): string {
  const took = ms === null ? "" : ` in ${duration(ms)}`;
  const words = rung === null ? `Agent recovered${took}.` : rungs[rung](took);
  return `${words}${grade === null ? "" : memory[grade]}`;
}

/** The same for a receipt; the loss of its folder comes first. */
export function spliceWords({ rung, ms, evidence }: Spliced): string {
  const words = recoveryWords(rung, gradeOf(evidence.grade), ms);
  return `${folderWords(evidence.workspace)}${words}`;
}

/**
 * Receipts without repeated restarts of an idle session: of several without a message between them,
 * only the first is kept.
 */
export function withoutRepeatedRestarts<R extends Repeatable>(
  receipts: readonly R[],
  messages: readonly { readonly seq: number }[],
): readonly R[] {
  return receipts.filter((receipt, i) => {
    const before = receipts[i - 1];
    if (before === undefined || !isIdleRestart(before) || !isIdleRestart(receipt)) return true;
    return messages.some(({ seq }) => seq > before.seq && seq < receipt.seq);
  });
}

type Repeatable = Pick<Receipt, "rung" | "runId" | "seq">;

function isIdleRestart({ rung, runId }: Repeatable): boolean {
  return rung === "adopted" && runId === null;
}

function folderWords(workspace: unknown): string {
  if (workspace === "gone") return "The session's folder was lost. ";
  return workspace === "emptied" ? "The session's folder was empty. " : "";
}

type Spliced = Pick<Receipt, "rung" | "ms" | "evidence">;

function gradeOf(value: unknown): Grade | null {
  return grades.find((grade) => grade === value) ?? null;
}
