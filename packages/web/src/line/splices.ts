/** Recoveries on the line: each splice shows its receipt. */

import { type Grade, grades, type Receipt, type Rung, rungWords } from "@holdfast/protocol";
import { duration } from "../words/measures.ts";

/** "adopted, 40 ms": the rung, the grade of the recovered memory, and the duration. */
export function spliceWords({ rung, ms, evidence }: Receipt): string {
  const isLost = evidence.workspace === "gone" || evidence.workspace === "emptied";
  return `${recoveryWords(rung, gradeOf(evidence.grade), ms)}${isLost ? "; its folder was lost" : ""}`;
}

export function recoveryWords(rung: Rung | null, grade: Grade | null, ms: number | null): string {
  return `${rungWords(rung, grade)}${ms === null ? "" : `, ${duration(ms)}`}`;
}

function gradeOf(value: unknown): Grade | null {
  return grades.find((grade) => grade === value) ?? null;
}
