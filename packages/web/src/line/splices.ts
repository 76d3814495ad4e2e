/** Recoveries, drawn over the cuts they mend: each is its receipt. */

import type { Grade, Receipt, Rung } from "@holdfast/protocol";
import { grades as gradeList } from "@holdfast/protocol";
import { duration } from "../words/measures.ts";
import { grades, rungs } from "../words/story.ts";

/** "adopted, 40 ms": the rung, how much memory came back, and how long it took. */
export function spliceWords({ rung, ms, evidence }: Receipt): string {
  return recoveryWords(rung, gradeOf(evidence.grade), ms);
}

export function recoveryWords(rung: Rung | null, grade: Grade | null, ms: number | null): string {
  const how = rung === null ? "recovered" : rungs[rung];
  const memory = grade === null ? "" : grades[grade];
  return `${how}${memory}${ms === null ? "" : `, ${duration(ms)}`}`;
}

function gradeOf(value: unknown): Grade | null {
  return gradeList.find((grade) => grade === value) ?? null;
}
