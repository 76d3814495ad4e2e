/** The output and calls of a run when it stopped, for an agent that may not remember them. */

import type { Message, RunRecord, Transcript } from "@holdfast/protocol";
import type { CutOff } from "../../agents/agent.ts";
import { delegatedState } from "./delegation.ts";

/** The state of the run, or of the run that it continues if it has no output itself. */
export function cutOffOf(
  messages: readonly Message[],
  run: { readonly id: string; readonly continues: string | null },
): CutOff {
  const answerTo = (runId: string | null) =>
    messages.findLast((message) => message.role === "assistant" && message.runId === runId);
  const own = answerTo(run.id);
  const continued = answerTo(run.continues ?? "");
  const answer = own?.contentParts.length ? own : continued;
  const parts = answer?.contentParts ?? [];
  const calls = parts.filter((part) => part.type === "tool");
  const earlier = answer === continued ? [] : (continued?.contentParts ?? []);
  const allCalls = [...earlier.filter((part) => part.type === "tool"), ...calls];
  return {
    round: calls.length + 1,
    partial: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    coderState: delegatedState(calls),
    unknownCalls: calls.filter(({ status }) => status === "unknown" || status === "running"),
    doneCalls: allCalls.filter(({ status }) => status === "completed"),
  };
}

/** An earlier cut-off run, as a later prompt describes it. */
export interface EarlierCutOff extends CutOff {
  readonly request: string;
}

/** Null when that run had no output and no open call, so that there is nothing to tell. */
export function earlierCutOff(
  { messages, runs }: Pick<Transcript, "messages" | "runs">,
  runId: string,
): EarlierCutOff | null {
  const run = runs.find(({ id }) => id === runId);
  if (run === undefined) return null;
  const cutOff = cutOffOf(messages, run);
  if (cutOff.partial.trim() === "" && cutOff.unknownCalls.length === 0) return null;
  const part = messages.find(({ id }) => id === run.messageId)?.contentParts[0];
  return { ...cutOff, request: part?.type === "text" ? part.text : "" };
}

/** The last run, if it did not complete: the agent may not have saved its last output and calls. */
export function unvouchedRun(transcript: Transcript, last: RunRecord | null): string | null {
  if (last === null || last.outcome === "completed") return null;
  return earlierCutOff(transcript, last.id) === null ? null : last.id;
}
