/** What an agent is told: a person's words, what it has forgotten, and where it was cut off. */

import {
  HostError,
  type Message,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { promptKey } from "../agents/acp.ts";
import type { CutOff, Prompt } from "../agents/agent.ts";
import type { Blobs } from "../journal/blobs.ts";
import { delegatedState } from "./resume/delegation.ts";
import { withHistory } from "./resume/history.ts";
import { reconciliation } from "./resume/reconcile.ts";
import type { WorkspaceTruth } from "./resume/workspace-truth.ts";
import { carriedAnswers } from "./rules/approvals.ts";
import type { Sessions } from "./sessions.ts";

/** The prompt of the open run's current launch. */
export async function promptFor(
  sessions: Sessions,
  blobs: Blobs,
  session: SessionId,
  state: SessionState,
): Promise<Prompt> {
  const run = openRun(state);
  if (run === null) throw new HostError("run_not_found", `Session ${session} has no open run.`);
  const { messages } = await sessions.transcript(session, state.seq);
  const part = messages.find((message) => message.id === run.messageId)?.contentParts[0];
  if (part?.type !== "text") {
    throw new HostError("message_not_found", `Message ${run.messageId} of ${run.id} is gone.`);
  }
  const content =
    part.blob === undefined
      ? part.text
      : Buffer.from(await blobs.get(session, part.blob.hash)).toString();
  const attempt = run.attempt.n;
  return {
    sessionId: session,
    runId: run.id,
    attempt,
    key: promptKey(run.id, attempt),
    way: run.attempt.way,
    content,
    carried: carriedAnswers(run),
    results: run.results.map(({ result }) => result),
    history: historyFor(messages, run, state.runtime.contextFrom),
    cutOff: cutOffOf(messages, run),
  };
}

/** What the request itself says is not history; what an earlier launch of the run did is. */
function historyFor(messages: readonly Message[], run: RunState, from: number | null) {
  if (from === null) return null;
  const told = messages.filter(
    ({ id, seq, contentParts }) => seq >= from && id !== run.messageId && contentParts.length > 0,
  );
  return told.length === 0 ? null : told;
}

function cutOffOf(messages: readonly Message[], run: RunState): CutOff {
  const answerTo = (runId: string | null) =>
    messages.findLast((message) => message.role === "assistant" && message.runId === runId);
  const own = answerTo(run.id);
  const answer = own?.contentParts.length ? own : answerTo(run.continues ?? "");
  const parts = answer?.contentParts ?? [];
  const calls = parts.filter((part) => part.type === "tool");
  return {
    round: calls.length + 1,
    partial: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    coderState: delegatedState(calls),
    unknownCalls: calls.filter(({ status }) => status === "unknown" || status === "running"),
  };
}

/** Whether the agent must be told that it was cut off, and what the workspace looks like. */
export function isGoingOn({ way, carried, results }: Prompt): boolean {
  return way !== "prompt" || carried.length > 0 || results.length > 0;
}

/** As one text, for an agent that takes nothing else. */
export function promptText(prompt: Prompt, truth: WorkspaceTruth | null): string {
  const { cutOff, carried, results, content, history } = prompt;
  const request = isGoingOn(prompt)
    ? reconciliation({ ...cutOff, truth, carried, results, request: content })
    : content;
  return history === null ? request : withHistory(history, request);
}
