/** How a run begins: a message of the person, a run that answers it, its first attempt. */

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

/** One more attempt of the same run; what the last one left open is closed first. */
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

/** A paused run goes on: where its agent stands, or in a new attempt when that was put away. */
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
  // While a pause puts the agent away, its holder is still there, and as good as gone.
  const isLeaving = holderId !== state.runtime.holderId || state.paused !== null;
  const isGone = accepted && holderId !== null && isLeaving && !stands;
  // With a question open it waits for the answer, which comes with an attempt of its own.
  if (!isGone || run.waits.length > 0 || run.cancel !== null) return [resumed];
  return [resumed, ...again(run, "resumed", "continue", at)];
}

/** The queue's first message becomes a run. */
export function advance(
  state: SessionState,
  at: Moment,
  { wanted = false }: { readonly wanted?: boolean } = {},
): EventBody[] {
  const first = state.queue[0];
  if (first === undefined || openRun(state) !== null || state.ended !== null) return [];
  // Someone put the session away: what it was to do next waits for them, or for their next word.
  if (state.paused !== null && !first.urgent && !wanted) return [];
  return sending(state, fromQueue(first), at);
}

/** The client id stays with `message.queued`: it is a fact that may be written only once. */
function fromQueue(queued: QueuedMessage): Sent {
  return {
    messageId: queued.id,
    content: queued.content,
    ...(queued.blob === null ? {} : { blob: queued.blob }),
    ...(queued.model === null ? {} : { model: queued.model }),
  };
}
