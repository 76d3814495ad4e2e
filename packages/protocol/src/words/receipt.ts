/** A recovery in words, from its receipt or its event. */

import type { Receipt } from "../transcript.ts";
import { type Grade, grades, type Rung } from "../vocabulary.ts";
import { duration } from "./time.ts";

/** How the agent came back; `took` is empty or " in 310 ms". */
const rungs: Readonly<Record<Rung, (took: string) => string>> = {
  live: () => "The agent was still running.",
  adopted: () => "Host restarted. The agent kept working; nothing was lost.",
  native: (took) => `Agent restarted from its own saved session${took}.`,
  restored: (took) => `Agent restored from a checkpoint${took}.`,
  injected: (took) => `Agent restarted without its own memory${took}. It is told the conversation.`,
  fresh: (took) => `Agent started anew${took}, without the conversation.`,
};

/** The agent's memory after a restart. */
const memory: Readonly<Record<Grade, string>> = {
  verified: " Memory verified.",
  partial: " Part of its memory was lost; it is told again.",
  ahead: " It remembers more than was recorded.",
  unverified: " Memory not verified.",
  injected: "",
};

/** "Agent restarted from its own saved session in 310 ms. Memory verified." */
export function recoveryWords(rung: Rung | null, grade: Grade | null, ms: number | null): string {
  const took = ms === null ? "" : ` in ${duration(ms)}`;
  const words = rung === null ? `Agent recovered${took}.` : rungs[rung](took);
  return `${words}${grade === null ? "" : memory[grade]}`;
}

/** The same for a receipt, with the loss of its folder. */
export function spliceWords({ rung, ms, evidence }: Spliced): string {
  return `${recoveryWords(rung, gradeOf(evidence.grade), ms)}${folderWords(evidence.workspace)}`;
}

function folderWords(workspace: unknown): string {
  if (workspace === "gone") return " Its folder was lost.";
  return workspace === "emptied" ? " Its folder was empty." : "";
}

type Spliced = Pick<Receipt, "rung" | "ms" | "evidence">;

function gradeOf(value: unknown): Grade | null {
  return grades.find((grade) => grade === value) ?? null;
}
