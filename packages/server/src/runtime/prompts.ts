/** Builds prompts: the message, the history that the agent lacks, and the interruption. */

import {
  HostError,
  type Message,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
  type Transcript,
} from "@holdfast/protocol";
import { promptKey } from "../agents/acp/acp.ts";
import type { Prompt } from "../agents/agent.ts";
import type { Blobs } from "../journal/blobs.ts";
import { carriedAnswers } from "../session/rules/approvals.ts";
import type { Sessions } from "../session/sessions.ts";
import { writtenIn } from "../workspace/short-files.ts";
import type { WorkspaceFindings } from "../workspace/workspace-findings.ts";
import { cutOffOf, type EarlierCutOff, earlierCutOff, hasNothingToTell } from "./resume/cut-off.ts";
import { withHistory } from "./resume/history.ts";
import { afterInterruption, afterLoss, reconciliation, sandboxState } from "./resume/reconcile.ts";

export async function promptFor(
  sessions: Sessions,
  blobs: Blobs,
  session: SessionId,
  state: SessionState,
): Promise<Prompt> {
  const run = openRun(state);
  if (run === null) throw new HostError("run_not_found", `Session ${session} has no open run.`);
  const transcript = await sessions.transcript(session, state.seq);
  const { messages } = transcript;
  const part = messages.find((message) => message.id === run.messageId)?.contentParts[0];
  if (part?.type !== "text") {
    throw new HostError("message_not_found", `Message ${run.messageId} of ${run.id} is gone.`);
  }
  const content =
    part.blob === undefined
      ? part.text
      : Buffer.from(await blobs.get(session, part.blob.hash)).toString();
  const attempt = run.attempt.n;
  const history = historyFor(messages, run, state.runtime.contextFrom);
  return {
    sessionId: session,
    runId: run.id,
    attempt,
    key: promptKey(run.id, attempt),
    way: run.attempt.way,
    content,
    carried: carriedAnswers(run),
    results: run.results.map(({ result }) => result),
    history,
    cutOff: cutOffOf(transcript, run.id),
    earlier: earlierOf(transcript, run, state.runtime.cutOffRun, history),
    lost: state.runtime.workspaceLost ?? null,
    written: writtenIn(transcript),
  };
}

/** All messages from `from` on but the request, with output of the run's earlier launches. */
function historyFor(messages: readonly Message[], run: RunState, from: number | null) {
  if (from === null) return null;
  const told = messages.filter(
    ({ id, seq, contentParts }) => seq >= from && id !== run.messageId && contentParts.length > 0,
  );
  return told.length === 0 ? null : told;
}

/** The previous cut-off run, if neither the agent nor this prompt's history has it. */
function earlierOf(
  transcript: Transcript,
  run: RunState,
  cutOffRun: string | null,
  history: readonly Message[] | null,
): EarlierCutOff | null {
  if (cutOffRun === null || cutOffRun === run.id) return null;
  const isTold = history?.some(({ role, runId }) => role === "assistant" && runId === cutOffRun);
  const cutOff = earlierCutOff(transcript, cutOffRun);
  if (cutOff === null) return null;
  const { partial, doneCalls } = cutOff;
  // A retry from the start is meant to do the completed calls again.
  const isAnew = run.from === "start" && run.continues === cutOffRun;
  // The history tells the run's text and calls; only the calls with an unknown outcome are added.
  const left = {
    ...cutOff,
    partial: isTold === true ? "" : partial,
    doneCalls: isTold === true || isAnew ? [] : doneCalls,
  };
  return hasNothingToTell(left) ? null : left;
}

/** True when the prompt continues interrupted work: it tells of the cut and the workspace. */
function isGoingOn({ way, carried, results }: Prompt): boolean {
  return way !== "prompt" || carried.length > 0 || results.length > 0;
}

/** True when the prompt describes the workspace, which must then be read first. */
export function needsLook(prompt: Prompt): boolean {
  const { earlier, history, lost } = prompt;
  return isGoingOn(prompt) || earlier !== null || history !== null || lost !== null;
}

export function promptText(prompt: Prompt, found: WorkspaceFindings): string {
  const { cutOff, carried, results, content, history, earlier } = prompt;
  if (isGoingOn(prompt)) {
    const request = reconciliation({ ...cutOff, found, carried, results, request: content });
    return history === null ? request : withHistory(history, request);
  }
  if (earlier === null && history === null && found.lost !== null) return afterLoss(found, content);
  const request = earlier === null ? content : afterInterruption(earlier, found, content);
  if (history === null) return request;
  return withHistory(history, request, earlier === null ? sandboxState(found) : []);
}
