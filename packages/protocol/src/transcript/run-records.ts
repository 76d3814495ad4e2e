/** Records of all runs: their outcome, and the agent sessions that took their prompts. */

import type { Event } from "../events.ts";
import { type Outcome, outcomeOf } from "../vocabulary.ts";

/** An agent session that took the run's prompt. */
export interface Taken {
  readonly by: string;
  /** The seq of the first message that the prompt repeated as history; null without history. */
  readonly toldFrom: number | null;
}

export interface RunRecord {
  readonly id: string;
  readonly messageId: string;
  readonly continues: string | null;
  /** `start` for a run that does the work of the one it continues anew; absent for a new message. */
  readonly from?: "start" | "error";
  readonly outcome: Outcome | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly attempt: number;
  /** One entry for each accepted prompt of the run's launches, in order. */
  readonly taken: readonly Taken[];
  readonly seq: number;
}

/** `by` is the agent session at that time, `toldFrom` the first message that its prompt repeats. */
export function foldRuns(
  runs: readonly RunRecord[],
  event: Event,
  by: string | null,
  toldFrom: number | null,
): readonly RunRecord[] {
  switch (event.kind) {
    case "run.started":
      return [
        ...runs,
        {
          id: event.runId,
          messageId: event.messageId,
          continues: event.continues ?? null,
          ...(event.from === undefined ? {} : { from: event.from }),
          outcome: null,
          errorMessage: null,
          inputTokens: 0,
          outputTokens: 0,
          startedAt: event.ts,
          completedAt: null,
          attempt: 1,
          taken: [],
          seq: event.seq,
        },
      ];
    case "attempt.started":
      return onRecord(runs, event.runId, () => ({ attempt: event.attempt }));
    case "attempt.accepted":
      if (by === null) return runs;
      return onRecord(runs, event.runId, ({ taken }) => ({ taken: [...taken, { by, toldFrom }] }));
    case "usage.reported":
      return onRecord(runs, event.runId, ({ inputTokens, outputTokens }) => ({
        inputTokens: inputTokens + event.inputTokens,
        outputTokens: outputTokens + event.outputTokens,
      }));
    default: {
      const outcome = outcomeOf(event.kind);
      if (outcome === undefined) return runs;
      const { runId } = event as { runId: string };
      const errorMessage = event.kind === "run.failed" ? event.error.message : null;
      return onRecord(runs, runId, () => ({ outcome, errorMessage, completedAt: event.ts }));
    }
  }
}

function onRecord(
  runs: readonly RunRecord[],
  runId: string,
  change: (record: RunRecord) => Partial<RunRecord>,
): readonly RunRecord[] {
  const at = runs.findLastIndex(({ id }) => id === runId);
  const record = runs[at];
  return record === undefined ? runs : runs.with(at, { ...record, ...change(record) });
}
