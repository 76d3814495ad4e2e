/** A recovery in one line, from its receipt or its event. */

import { rungWords } from "../story-words.ts";
import type { Receipt } from "../transcript.ts";
import { type Grade, grades, type Rung } from "../vocabulary.ts";
import { duration } from "./time.ts";

/** "adopted, 40 ms": the rung, the grade of the recovered memory, and the duration. */
export function spliceWords({ rung, ms, evidence }: Spliced): string {
  return `${recoveryWords(rung, gradeOf(evidence.grade), ms)}${folderWords(evidence.workspace)}`;
}

function folderWords(workspace: unknown): string {
  if (workspace === "gone") return "; its folder was lost";
  return workspace === "emptied" ? "; its folder was empty" : "";
}

type Spliced = Pick<Receipt, "rung" | "ms" | "evidence">;

export function recoveryWords(rung: Rung | null, grade: Grade | null, ms: number | null): string {
  return `${rungWords(rung, grade)}${ms === null ? "" : `, ${duration(ms)}`}`;
}

function gradeOf(value: unknown): Grade | null {
  return grades.find((grade) => grade === value) ?? null;
}
