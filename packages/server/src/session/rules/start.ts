/** Starts runs: a person's message, the run that answers it, and its first attempt. */

import {
  type BlobRef,
  type EventBody,
  openRun,
  type QueuedMessage,
  type Rung,
  type RunState,
  type SessionState,
} from "@holdfast/protocol";
import { closingTools } from "./ending.ts";
import type { Moment } from "./rule.ts";

export interface Sent {
  readonly messageId: string;
  readonly content: string;
  readonly blob?: BlobRef;
  readonly clientId?: string;
  readonly model?: string;
}

export function starting(
  messageId: string,
  model: string | null,
  at: Moment,
  extra: { continues?: string; from?: "start" | "error" } = {},
): EventBody[] {
  const runId = at.newId("run");
  const { epoch, bootId } = at;
  const way = extra.from === "error" ? "continue" : "prompt";
  return [
    { kind: "run.started", runId, messageId, epoch, bootId, model, ...extra },
    { kind: "attempt.started", runId, attempt: 1, epoch, cause: "prompt", way },
  ];
}

export function sending(state: SessionState, sent: Sent, at: Moment): EventBody[] {
  return [
    { kind: "message.user", ...sent },
    ...starting(sent.messageId, sent.model ?? state.model, at),
  ];
}

/** Starts another attempt of the run; open tool calls of the last one are closed. */
export function again(
  run: RunState,
  cause: "transient" | "answered" | "resumed",
  way: "prompt" | "rewind" | "fork" | "continue",
  at: Moment,
): EventBody[] {
  const attempt = run.attempt.n + 1;
  return [
    ...closingTools(run),
    { kind: "attempt.started", runId: run.id, attempt, epoch: at.epoch, cause, way },
  ];
}

/** Resumes a paused run: in its live agent, or in a new attempt if that agent was shut down. */
export function unpausing(
  state: SessionState,
  run: RunState,
  by: string,
  at: Moment,
  rung?: Rung,
): EventBody[] {
  const { accepted, holderId } = run.attempt;
  const resumed: EventBody = { kind: "run.resumed", runId: run.id, waitId: null, by };
  const stands = rung === "adopted" || rung === "live";
  // While a pause shuts the agent down, its holder still exists but counts as gone.
  const isLeaving = holderId !== state.runtime.holderId || state.paused !== null;
  const isGone = accepted && isLeaving && !stands;
  // A run with an open question waits for the answer, which starts its own attempt.
  if (!isGone || run.waits.length > 0 || run.cancel !== null) return [resumed];
  return [resumed, ...again(run, "resumed", "continue", at)];
}

export function advance(
  state: SessionState,
  at: Moment,
  { wanted = false }: { readonly wanted?: boolean } = {},
): EventBody[] {
  const first = state.queue[0];
  if (first === undefined || openRun(state) !== null || state.ended !== null) return [];
  // The queue of a paused session waits for a resume or the person's next message.
  if (state.paused !== null && !first.urgent && !wanted) return [];
  return sending(state, fromQueue(first), at);
}

/** The client id stays with `message.queued`, because it may be written only once. */
function fromQueue(queued: QueuedMessage): Sent {
  return {
    messageId: queued.id,
    content: queued.content,
    ...(queued.blob === null ? {} : { blob: queued.blob }),
    ...(queued.model === null ? {} : { model: queued.model }),
  };
}
