/** Recoveries, drawn over the cuts they mend: from receipts, and from the events where those are known. */

import type { Event, Grade, Receipt, Rung } from "@holdfast/protocol";
import { grades as gradeList } from "@holdfast/protocol";
import { duration } from "../words/measures.ts";
import { grades, rungs } from "../words/story.ts";

export interface Splice {
  readonly seq: number;
  readonly at: string;
  readonly rung: Rung | null;
  readonly grade: Grade | null;
  /** How long it took, where somebody measured it. */
  readonly ms: number | null;
  readonly receipt: Receipt | null;
  /** How many parts of the answer stood before it, where that is known. */
  readonly partsBefore?: number;
}

export function spliceOfReceipt(receipt: Receipt): Splice {
  const { seq, ts: at, rung, evidence } = receipt;
  return { seq, at, rung, grade: gradeOf(evidence.grade), ms: null, receipt };
}

/** In the order of the journal: a receipt belongs to the resume that stands just before or behind it. */
export function splicesOf(events: readonly Event[]): readonly Splice[] {
  const splices: Splice[] = [];
  for (const event of events) {
    if (event.kind === "session.resumed") {
      const { seq, ts: at, rung, grade, ms } = event;
      const last = splices.at(-1);
      if (last !== undefined && last.ms === null && last.rung === rung) {
        splices[splices.length - 1] = { ...last, grade: grade ?? last.grade, ms };
      } else if (rung !== "live") splices.push({ seq, at, rung, grade, ms, receipt: null });
    }
    if (event.kind === "receipt.issued") {
      const { kind: _kind, v: _v, ...receipt } = event;
      const last = splices.at(-1);
      if (last !== undefined && last.receipt === null && last.rung === receipt.rung) {
        splices[splices.length - 1] = { ...last, receipt };
      } else splices.push(spliceOfReceipt(receipt));
    }
  }
  return splices;
}

/** "adopted, 40 ms": the rung, how much memory came back, and how long it took. */
export function spliceWords({ rung, grade, ms }: Pick<Splice, "rung" | "grade" | "ms">): string {
  const how = rung === null ? "recovered" : rungs[rung];
  const memory = grade === null ? "" : grades[grade];
  return `${how}${memory}${ms === null ? "" : `, ${duration(ms)}`}`;
}

function gradeOf(value: unknown): Grade | null {
  return gradeList.find((grade) => grade === value) ?? null;
}
