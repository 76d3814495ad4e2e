/** The output and calls of a run when it stopped, for an agent that may not remember them. */

import { answersOfTurn, callStatus, type RunRecord, type Transcript } from "@holdfast/protocol";
import type { CutOff } from "../../agents/agent.ts";
import { delegatedState } from "./delegation.ts";

type Story = Pick<Transcript, "messages" | "runs">;

/**
 * The state of the run, or of the latest run with output that it continues if it has none itself.
 * Completed calls are those of the run and of all runs that it continues.
 */
export function cutOffOf(story: Story, runId: string): CutOff {
  const answers = answersOfTurn(story, runId);
  const parts = answers.findLast(({ contentParts }) => contentParts.length > 0)?.contentParts ?? [];
  const calls = parts.filter((part) => part.type === "tool");
  const allCalls = answers.flatMap(({ contentParts }) =>
    contentParts.filter((part) => part.type === "tool"),
  );
  return {
    round: calls.length + 1,
    partial: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    coderState: delegatedState(calls),
    unknownCalls: calls.filter(({ status }) => status === "unknown" || status === "running"),
    doneCalls: allCalls.filter((call) => callStatus(call) === "completed"),
  };
}

/** An earlier cut-off run, as a later prompt describes it. */
export interface EarlierCutOff extends CutOff {
  readonly request: string;
}

/** Null when that run had no text, no open call and no completed call to tell. */
export function earlierCutOff(story: Story, runId: string): EarlierCutOff | null {
  const run = story.runs.find(({ id }) => id === runId);
  if (run === undefined) return null;
  const cutOff = cutOffOf(story, runId);
  if (hasNothingToTell(cutOff)) return null;
  const part = story.messages.find(({ id }) => id === run.messageId)?.contentParts[0];
  return { ...cutOff, request: part?.type === "text" ? part.text : "" };
}

export function hasNothingToTell({ partial, unknownCalls, doneCalls }: CutOff): boolean {
  return partial.trim() === "" && unknownCalls.length === 0 && doneCalls.length === 0;
}

/** The last run, if it did not complete: the agent may not have saved its last output and calls. */
export function unvouchedRun(transcript: Transcript, last: RunRecord | null): string | null {
  if (last === null || last.outcome === "completed") return null;
  return earlierCutOff(transcript, last.id) === null ? null : last.id;
}
